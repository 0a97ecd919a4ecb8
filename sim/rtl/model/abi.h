// What a compiled model of the RTL gives to its harness: plain C, so that the model of any config
// is a shared object that is loaded when it is needed.
#pragma once

#include <cstdint>

extern "C" {

/// A port is where the model keeps it: little-endian, in the smallest of 1, 2, 4, 8 bytes that
/// holds it, or in 4-byte words. Ports whose width depends on the config are void.
struct VtaPorts {
  uint8_t *clk_i, *rst_ni;
  uint8_t *s_aw_valid_i, *s_aw_ready_o, *s_w_valid_i, *s_w_ready_o, *s_w_strb_i;
  uint8_t *s_b_valid_o, *s_b_ready_i, *s_b_resp_o;
  uint8_t *s_ar_valid_i, *s_ar_ready_o, *s_r_valid_o, *s_r_ready_i, *s_r_resp_o;
  uint16_t *s_aw_address_i, *s_ar_address_i;
  uint32_t *s_w_data_i, *s_r_data_o;
  uint8_t* interrupt_o;
  uint8_t *ar_valid_o, *ar_ready_i, *ar_len_o, *ar_size_o, *ar_burst_o, *ar_id_o;
  uint64_t* ar_address_o;
  uint8_t *r_valid_i, *r_ready_o, *r_id_i, *r_resp_i, *r_last_i;
  void* r_data_i;
  uint8_t *aw_valid_o, *aw_ready_i, *aw_len_o, *aw_size_o, *aw_burst_o, *aw_id_o;
  uint64_t* aw_address_o;
  uint8_t *w_valid_o, *w_ready_i, *w_last_o;
  void *w_data_o, *w_strb_o;
  uint8_t *b_valid_i, *b_ready_o, *b_id_i, *b_resp_i;
  uint8_t* trace_i;
  uint8_t *trace_retire_o, *trace_halted_o;
  uint32_t* trace_index_o;
  uint16_t* trace_fault_o;
  uint8_t *trace_load_o, *trace_load_all_o;
  uint16_t *trace_load_row_o, *trace_load_lane_o;
  void* trace_load_data_o;
  uint8_t *trace_acc_o, *trace_done_o, *trace_unit_o, *trace_beside_o;
  uint32_t* trace_acc_row_o;
  void *trace_acc_lanes_o, *trace_acc_data_o;
  uint8_t *trace_uop_o, *trace_uop_count_o;
  uint16_t* trace_uop_row_o;
  void* trace_uop_data_o;
  uint8_t *trace_lut_o, *trace_lut_part_o;
  uint32_t* trace_lut_data_o;
  uint8_t *trace_active_o, *trace_run_o, *trace_wait_token_o, *trace_wait_memory_o;
  uint8_t *trace_wait_o, *trace_queue_o;
  uint8_t *trace_start_o, *trace_end_o;
  uint32_t* trace_start_index_o;
};

/// The functions of a model's shared object, by name.
using VtaModelNew = void* (*)();            // vta_model_new
using VtaModelDelete = void (*)(void*);     // vta_model_delete
using VtaModelPorts = VtaPorts (*)(void*);  // vta_model_ports
/// A port of the unit bench by name (nullptr: there is none), and how many bits it has.
using VtaModelFind = void* (*)(void*, const char*, int*);  // vta_model_find
/// Settles the outputs for the inputs as they are. Returns 0, or 1 when an assertion failed.
using VtaModelEval = int (*)(void*);  // vta_model_eval
/// Ends a cycle: a rising edge of clk_i, whether it fell before or not. Returns as vta_model_eval.
using VtaModelEdge = int (*)(void*);  // vta_model_edge
/// The message of the assertion that failed.
using VtaModelMessage = const char* (*)(void*);  // vta_model_message
/// Starts, feeds (with a time that grows) and ends an FST file; 0 when the model has no waves.
using VtaModelWaveOpen = int (*)(void*, const char*);  // vta_model_wave_open
using VtaModelWaveDump = void (*)(void*, uint64_t);    // vta_model_wave_dump
using VtaModelWaveClose = void (*)(void*);             // vta_model_wave_close
}
