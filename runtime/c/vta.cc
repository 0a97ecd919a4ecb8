#include "runtime/c/vta.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "isa/support/error.h"
#include "runtime/open_session.h"
#include "runtime/thread_pool.h"

using vta::StrCat;
namespace driver = vta::driver;
namespace isa = vta::isa;
namespace runtime = vta::runtime;

struct vta_model {
  std::shared_ptr<const runtime::Model> model;
};

struct vta_session {
  std::unique_ptr<runtime::AnySession> session;
};

namespace {

static_assert(VTA_INT8 == static_cast<int>(isa::ElementType::kInt8));
static_assert(VTA_UINT8 == static_cast<int>(isa::ElementType::kUint8));
static_assert(VTA_INT16 == static_cast<int>(isa::ElementType::kInt16));
static_assert(VTA_INT32 == static_cast<int>(isa::ElementType::kInt32));
static_assert(VTA_INT64 == static_cast<int>(isa::ElementType::kInt64));
static_assert(VTA_FLOAT32 == static_cast<int>(isa::ElementType::kFloat32));
static_assert(VTA_BOOL == static_cast<int>(isa::ElementType::kBool));

void Write(vta_error* error, const char* message) {
  if (!error) return;
  const size_t length = std::min(std::strlen(message), sizeof error->message - 1);
  std::memcpy(error->message, message, length);
  error->message[length] = '\0';
}

// Nothing is thrown into C.
template <typename Function>
vta_status Guarded(vta_error* error, const Function& function) {
  try {
    function();
    return VTA_OK;
  } catch (const runtime::ArgumentError& wrong) {
    Write(error, wrong.what());
    return VTA_WRONG_ARGUMENT;
  } catch (const std::bad_alloc&) {
    Write(error, "the system gives no more memory");
    return VTA_FAILED;
  } catch (const std::exception& failed) {
    Write(error, failed.what());
    return VTA_FAILED;
  }
}

void RequireGiven(const char* function, const char* argument, const void* pointer) {
  if (!pointer) throw runtime::ArgumentError(function, argument, "NULL", "must be given");
}

void RequireThreads(int64_t threads) {
  if (threads < 0 || threads > runtime::ThreadPool::kMaxThreads)
    throw runtime::ArgumentError("", "threads", std::to_string(threads),
                                 StrCat("must be 0 to ", runtime::ThreadPool::kMaxThreads));
}

vta_tensor TensorOf(const isa::PackageTensor& tensor) {
  return {tensor.name.c_str(), tensor.shape.data(), tensor.shape.size(),
          static_cast<size_t>(tensor.bytes()), static_cast<vta_type>(tensor.type)};
}

std::unique_ptr<runtime::AnySession> Open(const std::shared_ptr<const runtime::Model>& model,
                                          const char* device,
                                          const runtime::SessionOptions& options) {
  const std::string engine = device ? device : "";
  try {
    if (device) runtime::CheckSessionEngine(engine);
  } catch (const vta::Error& error) {
    throw runtime::ArgumentError(model->file(), "device", engine, error.rule());
  }
  const char* const credentials = std::getenv("VTA_CREDENTIALS");
  return runtime::OpenSession(
      model, engine, options,
      {.credentials = credentials ? credentials : "", .build = "libvta_runtime"});
}

vta_status Load(const char* function, vta_model** model, vta_error* error, const auto& package,
                const runtime::ModelOptions& options = {}) {
  if (model) *model = nullptr;
  return Guarded(error, [&] {
    RequireGiven(function, "model", model);
    auto [parsed, name] = package();
    auto loaded = std::make_unique<vta_model>();
    loaded->model = std::make_shared<runtime::Model>(std::move(parsed), name, options);
    *model = loaded.release();
  });
}

constexpr int64_t kMostLimitMs = 1'000'000'000;

vta_status Create(const char* function, const vta_model* model, const char* device, int64_t threads,
                  vta_session** session, vta_error* error, const auto& kernels) {
  if (session) *session = nullptr;
  return Guarded(error, [&] {
    RequireGiven(function, "model", model);
    RequireGiven(function, "session", session);
    auto made = std::make_unique<vta_session>();
    RequireThreads(threads);
    const runtime::SessionOptions options{.threads = threads, .kernels = kernels()};
    made->session = Open(model->model, device, options);
    *session = made.release();
  });
}

}  // namespace

vta_status vta_model_load(const char* path, vta_model** model, vta_error* error) {
  return Load("vta_model_load", model, error, [&] {
    RequireGiven("vta_model_load", "path", path);
    return std::pair(isa::ReadPackage(path), std::string(path));
  });
}

vta_status vta_model_load_bytes(const void* bytes, size_t size, const char* name, vta_model** model,
                                vta_error* error) {
  return Load("vta_model_load_bytes", model, error, [&] {
    RequireGiven("vta_model_load_bytes", "bytes", bytes);
    RequireGiven("vta_model_load_bytes", "name", name);
    return std::pair(isa::ParsePackage({static_cast<const uint8_t*>(bytes), size}, name),
                     std::string(name));
  });
}

vta_status vta_model_load_for_server(const char* path, vta_model** model, vta_error* error) {
  constexpr char kFunction[] = "vta_model_load_for_server";
  const auto read = [&] {
    RequireGiven(kFunction, "path", path);
    return std::pair(isa::ReadPackage(path), std::string(path));
  };
  return Load(kFunction, model, error, read, {.elsewhere = true});
}

void vta_model_free(vta_model* model) { delete model; }

size_t vta_model_inputs(const vta_model* model) { return model->model->package().inputs.size(); }
size_t vta_model_outputs(const vta_model* model) { return model->model->package().outputs.size(); }

int vta_model_needs_device(const vta_model* model) {
  return model->model->package().config.has_value();
}

vta_status vta_model_input(const vta_model* model, size_t index, vta_tensor* tensor,
                           vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_model_input", "model", model);
    RequireGiven("vta_model_input", "tensor", tensor);
    *tensor = TensorOf(model->model->Input(static_cast<int64_t>(index)));
  });
}

vta_status vta_model_output(const vta_model* model, size_t index, vta_tensor* tensor,
                            vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_model_output", "model", model);
    RequireGiven("vta_model_output", "tensor", tensor);
    *tensor = TensorOf(model->model->Output(static_cast<int64_t>(index)));
  });
}

vta_status vta_model_input_index(const vta_model* model, const char* name, size_t* index,
                                 vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_model_input_index", "model", model);
    RequireGiven("vta_model_input_index", "name", name);
    RequireGiven("vta_model_input_index", "index", index);
    *index = static_cast<size_t>(model->model->InputIndex(name));
  });
}

vta_status vta_model_output_index(const vta_model* model, const char* name, size_t* index,
                                  vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_model_output_index", "model", model);
    RequireGiven("vta_model_output_index", "name", name);
    RequireGiven("vta_model_output_index", "index", index);
    *index = static_cast<size_t>(model->model->OutputIndex(name));
  });
}

vta_status vta_model_memory(const vta_model* model, int64_t threads, vta_memory* memory,
                            vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_model_memory", "model", model);
    RequireGiven("vta_model_memory", "memory", memory);
    RequireThreads(threads);
    const runtime::MemoryUse use = runtime::MemoryOf(
        model->model->package(), threads != 0 ? threads : runtime::AvailableCpus());
    *memory = {use.activations, use.constants, use.workspace, use.code, use.peak()};
  });
}

vta_status vta_session_create(const vta_model* model, const char* device, int64_t threads,
                              vta_session** session, vta_error* error) {
  return Create("vta_session_create", model, device, threads, session, error,
                [] { return runtime::KernelOptions(); });
}

vta_status vta_session_create_guarded(const vta_model* model, const char* device, int64_t threads,
                                      int64_t kernel_limit_ms, vta_session** session,
                                      vta_error* error) {
  return Create("vta_session_create_guarded", model, device, threads, session, error, [&] {
    if (kernel_limit_ms < 0 || kernel_limit_ms > kMostLimitMs)
      throw runtime::ArgumentError("", "kernel_limit_ms", std::to_string(kernel_limit_ms),
                                   StrCat("must be 0 to ", kMostLimitMs));
    runtime::KernelOptions options{.confinement = runtime::Confinement::kGuarded};
    if (kernel_limit_ms > 0) options.limit = std::chrono::milliseconds(kernel_limit_ms);
    return options;
  });
}

void vta_session_free(vta_session* session) { delete session; }

vta_status vta_set_input(vta_session* session, size_t input, const void* bytes, size_t size,
                         vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_set_input", "session", session);
    if (size > 0) RequireGiven("vta_set_input", "bytes", bytes);
    session->session->SetInput(static_cast<int64_t>(input),
                               {static_cast<const uint8_t*>(bytes), size});
  });
}

vta_status vta_run(vta_session* session, vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_run", "session", session);
    session->session->Run();
  });
}

vta_status vta_get_output(const vta_session* session, size_t output, void* bytes, size_t size,
                          vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_get_output", "session", session);
    if (size > 0) RequireGiven("vta_get_output", "bytes", bytes);
    session->session->GetOutput(static_cast<int64_t>(output), {static_cast<uint8_t*>(bytes), size});
  });
}

vta_status vta_bind_input(vta_session* session, size_t input, const void* bytes, size_t size,
                          int* direct, vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_bind_input", "session", session);
    const bool is_direct = session->session->BindInput(static_cast<int64_t>(input),
                                                       {static_cast<const uint8_t*>(bytes), size});
    if (direct) *direct = is_direct;
  });
}

vta_status vta_bind_output(vta_session* session, size_t output, void* bytes, size_t size,
                           int* direct, vta_error* error) {
  return Guarded(error, [&] {
    RequireGiven("vta_bind_output", "session", session);
    const bool is_direct = session->session->BindOutput(static_cast<int64_t>(output),
                                                        {static_cast<uint8_t*>(bytes), size});
    if (direct) *direct = is_direct;
  });
}
