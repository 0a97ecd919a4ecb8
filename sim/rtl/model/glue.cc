// Compiled together with the verilated design of one config into a shared object. See abi.h.
#include <Vvta.h>
#include <Vvta___024root.h>
#include <verilated.h>
#ifdef VTA_BENCH
#include <verilated_sym_props.h>
#include <verilated_syms.h>
#endif

#ifdef VTA_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdlib>
#endif
#include <memory>
#include <stdexcept>
#include <string>

#include "sim/rtl/model/abi.h"
#ifdef VTA_WAVES
#include <verilated_fst_c.h>
#endif

// Verilator's parts of an evaluation, under the names that this version has; others, and models
// that write waves, evaluate as its manual says.
#if VERILATOR_VERSION_INTEGER == 5006000 && !defined(VTA_WAVES) && !defined(VTA_BENCH)
#define VTA_DIRECT
void Vvta___024root___eval_ico(Vvta___024root*);
void Vvta___024root___eval_nba(Vvta___024root*);
#endif

// Writes what a model counted that is compiled to count (sim/rtl/training.h); no other has it.
extern "C" void __gcov_dump() __attribute__((weak));

namespace {

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vvta> top;
  std::string message;
#ifdef VTA_WAVES
  std::unique_ptr<VerilatedFstC> waves;
#endif
};

// 1 where an assertion fails, and the model has its message.
template <typename Work>
int Guarded(Model& model, Work work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    model.message = error.what();
    return 1;
  }
}

int Evaluate(Model& model) {
  return Guarded(model, [&] { model.top->eval(); });
}

#ifdef VTA_DIRECT
template <std::size_t Size>
void FireAll(VlTriggerVec<Size>& triggers) {
  for (std::size_t i = 0; i < Size; ++i) triggers.at(i) = true;
}

// What Verilator's eval does at a rising edge, less what this design never needs: the low clock
// before it, another look at inputs that settled, messages of other threads, and finding out which
// registers the edge concerns: all, and none makes a clock or a reset. A twelfth of the time.
void RisingEdge(Vvta___024root& root) {
  root.clk_i = 1;
  FireAll(root.__VicoTriggered);
  Vvta___024root___eval_ico(&root);
  root.__Vtrigrprev__TOP__clk_i = 1;
  root.__Vtrigrprev__TOP__rst_ni = root.rst_ni;
  FireAll(root.__VnbaTriggered);
  Vvta___024root___eval_nba(&root);
}
#endif

}  // namespace

// An assertion that fails ends the evaluation, not the process.
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": assertion failed");
}
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + message);
}

extern "C" {

void* vta_model_new() {
  auto model = std::make_unique<Model>();
#ifdef VTA_WAVES
  model->context.traceEverOn(true);
#endif
  model->top = std::make_unique<Vvta>(&model->context, "vta");
  model->top->eval();  // begins with the clock low
  return model.release();
}

void vta_model_delete(void* handle) {
  auto* model = static_cast<Model*>(handle);
#ifdef VTA_COVERAGE
  // What this instance counted, as a file of its own among those of other models and processes.
  if (const char* folder = std::getenv("VTA_COVERAGE_DIR")) {
    std::string path = std::string(folder) + "/XXXXXX.dat";
    close(mkstemps(path.data(), 4));
    model->context.coveragep()->write(path.c_str());
  }
#endif
  // What Verilator forgets, it forgets in the context that was evaluated last.
  Verilated::threadContextp(&model->context);
  delete model;
  if (__gcov_dump) __gcov_dump();
}

#ifdef VTA_BENCH
void* vta_model_find(void* handle, const char* name, int* bits) {
  const VerilatedScope* scope = static_cast<Model*>(handle)->context.scopeFind("vta.TOP");
  const VerilatedVar* var = scope ? scope->varFind(name) : nullptr;
  if (!var) return nullptr;
  *bits = var->dims() == 0 ? 1 : var->packed().elements();
  return var->datap();
}
#else
VtaPorts vta_model_ports(void* handle) {
  Vvta& top = *static_cast<Model*>(handle)->top;
  VtaPorts ports;
#define VTA_PORT(name) ports.name = &top.name
  VTA_PORT(clk_i), VTA_PORT(rst_ni), VTA_PORT(s_aw_valid_i), VTA_PORT(s_aw_ready_o);
  VTA_PORT(s_w_valid_i), VTA_PORT(s_w_ready_o), VTA_PORT(s_w_strb_i), VTA_PORT(s_b_valid_o);
  VTA_PORT(s_b_ready_i), VTA_PORT(s_b_resp_o), VTA_PORT(s_ar_valid_i), VTA_PORT(s_ar_ready_o);
  VTA_PORT(s_r_valid_o), VTA_PORT(s_r_ready_i), VTA_PORT(s_r_resp_o), VTA_PORT(s_aw_address_i);
  VTA_PORT(s_ar_address_i), VTA_PORT(s_w_data_i), VTA_PORT(s_r_data_o), VTA_PORT(interrupt_o);
  VTA_PORT(ar_valid_o), VTA_PORT(ar_ready_i), VTA_PORT(ar_len_o), VTA_PORT(ar_size_o);
  VTA_PORT(ar_burst_o), VTA_PORT(ar_id_o), VTA_PORT(ar_address_o), VTA_PORT(r_valid_i);
  VTA_PORT(r_ready_o), VTA_PORT(r_id_i), VTA_PORT(r_resp_i), VTA_PORT(r_last_i);
  VTA_PORT(r_data_i), VTA_PORT(aw_valid_o), VTA_PORT(aw_ready_i), VTA_PORT(aw_len_o);
  VTA_PORT(aw_size_o), VTA_PORT(aw_burst_o), VTA_PORT(aw_id_o), VTA_PORT(aw_address_o);
  VTA_PORT(w_valid_o), VTA_PORT(w_ready_i), VTA_PORT(w_last_o), VTA_PORT(w_data_o);
  VTA_PORT(w_strb_o), VTA_PORT(b_valid_i), VTA_PORT(b_ready_o), VTA_PORT(b_id_i);
  VTA_PORT(b_resp_i), VTA_PORT(trace_i), VTA_PORT(trace_retire_o), VTA_PORT(trace_halted_o),
      VTA_PORT(trace_fault_o);
  VTA_PORT(trace_load_o), VTA_PORT(trace_load_all_o), VTA_PORT(trace_load_row_o);
  VTA_PORT(trace_load_lane_o), VTA_PORT(trace_load_data_o), VTA_PORT(trace_acc_o),
      VTA_PORT(trace_done_o), VTA_PORT(trace_unit_o);
  VTA_PORT(trace_beside_o);
  VTA_PORT(trace_acc_row_o), VTA_PORT(trace_acc_lanes_o), VTA_PORT(trace_acc_data_o);
  VTA_PORT(trace_uop_o), VTA_PORT(trace_uop_count_o), VTA_PORT(trace_uop_row_o);
  VTA_PORT(trace_uop_data_o), VTA_PORT(trace_lut_o), VTA_PORT(trace_lut_part_o);
  VTA_PORT(trace_lut_data_o), VTA_PORT(trace_active_o), VTA_PORT(trace_run_o);
  VTA_PORT(trace_wait_token_o), VTA_PORT(trace_wait_memory_o), VTA_PORT(trace_wait_o);
  VTA_PORT(trace_queue_o);
  VTA_PORT(trace_start_o), VTA_PORT(trace_end_o);
#undef VTA_PORT
  ports.trace_index_o = &top.trace_index_o[0];
  ports.trace_start_index_o = &top.trace_start_index_o[0];
  return ports;
}
#endif

int vta_model_eval(void* handle) { return Evaluate(*static_cast<Model*>(handle)); }

#ifndef VTA_BENCH
int vta_model_edge(void* handle) {
  Model& model = *static_cast<Model*>(handle);
#ifdef VTA_DIRECT
  return Guarded(model, [&] { RisingEdge(*model.top->rootp); });
#else
  model.top->clk_i = 0;
  if (Evaluate(model) != 0) return 1;
  model.top->clk_i = 1;
  return Evaluate(model);
#endif
}
#endif

const char* vta_model_message(void* handle) { return static_cast<Model*>(handle)->message.c_str(); }

#ifdef VTA_WAVES
int vta_model_wave_open(void* handle, const char* path) {
  Model& model = *static_cast<Model*>(handle);
  model.waves = std::make_unique<VerilatedFstC>();
  model.top->trace(model.waves.get(), 99);
  model.waves->open(path);
  return model.waves->isOpen();
}
void vta_model_wave_dump(void* handle, uint64_t time) {
  static_cast<Model*>(handle)->waves->dump(time);
}
void vta_model_wave_close(void* handle) {
  Model& model = *static_cast<Model*>(handle);
  if (model.waves) model.waves->close();
}
#else
int vta_model_wave_open(void*, const char*) { return 0; }
void vta_model_wave_dump(void*, uint64_t) {}
void vta_model_wave_close(void*) {}
#endif
}
