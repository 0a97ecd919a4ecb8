/* Runs packages of the vta compiler, in C99.
 *
 *   vta_error error;
 *   vta_model *model;
 *   vta_session *session;
 *   if (vta_model_load("digits.vta", &model, &error) != VTA_OK) puts(error.message);
 *   vta_session_create(model, VTA_FUNCTIONAL, 0, &session, &error);
 *   vta_set_input(session, 0, image, sizeof image, &error);
 *   vta_run(session, &error);
 *   vta_get_output(session, 0, scores, sizeof scores, &error);
 *
 * Each function that can fail says so, and writes why into `error`, unless that is NULL. What it
 * was to make is NULL then. Any number of threads may use a model at once; one thread at a time
 * uses a session, and those of other threads are independent of it. All memory of a session is
 * taken when it is created: set_input, run and get_output take none of the heap, but a simulated
 * device may. A package with kernels is native code, which nothing proves: load those of people
 * whose programs you would run. */
#ifndef VTA_RUNTIME_C_VTA_H
#define VTA_RUNTIME_C_VTA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vta_status {
  VTA_OK = 0,
  VTA_FAILED = 1,        /* what a file, a machine or a run caused */
  VTA_WRONG_ARGUMENT = 2 /* a null pointer, an index, a name or a size */
} vta_status;

/* One line: where, what is wrong there, the value found and the rule it breaks. A longer one is
 * cut. */
typedef struct vta_error {
  char message[1024];
} vta_error;

typedef enum vta_type {
  VTA_INT8 = 0,
  VTA_UINT8 = 1,
  VTA_INT16 = 2,
  VTA_INT32 = 3,
  VTA_INT64 = 4,
  VTA_FLOAT32 = 5,
  VTA_BOOL = 6
} vta_type;

/* An input or an output, row-major. The pointers live as long as the model. */
typedef struct vta_tensor {
  const char* name;
  const int64_t* shape; /* `rank` of them */
  size_t rank;
  size_t bytes;
  vta_type type;
} vta_tensor;

/* What a session takes, in bytes, each counted once. Constants and code lie in memory once for all
 * sessions of a model; a device has a copy. */
typedef struct vta_memory {
  int64_t activations; /* where tensors share memory */
  int64_t constants;
  int64_t workspace; /* of all threads */
  int64_t code;
  int64_t peak; /* all of them */
} vta_memory;

typedef struct vta_model vta_model;
typedef struct vta_session vta_session;

/* Checks a package, proves its programs and maps the code of its kernels for this CPU. */
vta_status vta_model_load(const char* path, vta_model** model, vta_error* error);
/* The same of bytes, which are not needed afterwards. `name` stands for them in errors. */
vta_status vta_model_load_bytes(const void* bytes, size_t size, const char* name, vta_model** model,
                                vta_error* error);
/* The same of a package for another machine, whose sessions are all on servers: they prove it, and
 * have its code. */
vta_status vta_model_load_for_server(const char* path, vta_model** model, vta_error* error);
/* Sessions of the model may outlive it. NULL is nothing. */
void vta_model_free(vta_model* model);

size_t vta_model_inputs(const vta_model* model);
size_t vta_model_outputs(const vta_model* model);
vta_status vta_model_input(const vta_model* model, size_t index, vta_tensor* tensor,
                           vta_error* error);
vta_status vta_model_output(const vta_model* model, size_t index, vta_tensor* tensor,
                            vta_error* error);
vta_status vta_model_input_index(const vta_model* model, const char* name, size_t* index,
                                 vta_error* error);
vta_status vta_model_output_index(const vta_model* model, const char* name, size_t* index,
                                  vta_error* error);
/* Whether there are programs for an accelerator: a session then needs a device. */
int vta_model_needs_device(const vta_model* model);
/* Of a session whose kernels run on so many threads; 0: as in vta_session_create. */
vta_status vta_model_memory(const vta_model* model, int64_t threads, vta_memory* memory,
                            vta_error* error);

/* The accelerator, simulated: exact results, no cycles. */
#define VTA_FUNCTIONAL "functional"

/* `device`: VTA_FUNCTIONAL, each session with a device of its own; or a board as `vta-run --engine`
 * names it, which one session has at a time; or a server's, remote://HOST:PORT[/KEY], which this
 * session has until it is freed, and which runs all of the model; or NULL for a model that needs
 * none. What a server wants to see lies in the folder that the environment has as VTA_CREDENTIALS.
 * `threads` share the tasks of a kernel; 0: as many as this process may use processors. */
vta_status vta_session_create(const vta_model* model, const char* device, int64_t threads,
                              vta_session** session, vta_error* error);
/* The same, and a kernel that faults, or runs longer than `kernel_limit_ms` (0: no limit), makes
 * vta_run fail, where it would otherwise end the process or never return. The session is dead then:
 * each function says so; others go on. While there are such sessions the process has handlers for
 * SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGSYS and SIGRTMIN + 7, which call those that were
 * there before for all that no kernel did. */
vta_status vta_session_create_guarded(const vta_model* model, const char* device, int64_t threads,
                                      int64_t kernel_limit_ms, vta_session** session,
                                      vta_error* error);
/* NULL is nothing. */
void vta_session_free(vta_session* session);

/* Copies an input for the next run, which takes it: each run wants every input again. */
vta_status vta_set_input(vta_session* session, size_t input, const void* bytes, size_t size,
                         vta_error* error);
/* One inference. */
vta_status vta_run(vta_session* session, vta_error* error);
/* Copies an output of the last run. */
vta_status vta_get_output(const vta_session* session, size_t output, void* bytes, size_t size,
                          vta_error* error);
/* In place of vta_set_input and vta_get_output: each run from now on reads the input from this
 * memory of the caller's, or leaves the output there, until other memory is bound, NULL (which ends
 * the binding), or the session is freed. Nothing is copied where the steps that use it run on the
 * CPU and it begins at a multiple of 64 bytes; else each run copies once. `direct`, unless it is
 * NULL: which of them it is. The first binding of a tensor takes memory of the heap. */
vta_status vta_bind_input(vta_session* session, size_t input, const void* bytes, size_t size,
                          int* direct, vta_error* error);
vta_status vta_bind_output(vta_session* session, size_t output, void* bytes, size_t size,
                           int* direct, vta_error* error);

#ifdef __cplusplus
}
#endif

#endif
