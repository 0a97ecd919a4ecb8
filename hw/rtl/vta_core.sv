/// The accelerator: registers, fetch, the three modules with their token queues and scratchpads, and
/// the AXI4 master. vta_ip makes complete AXI ports of what varies.
module vta_core #(
  parameter int BusBits = vta_pkg::BusBits  // as whoever instantiates it believes
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  // AXI4-Lite slave.
  input  logic                                    s_aw_valid_i,
  output logic                                    s_aw_ready_o,
  input  logic [vta_pkg::RegisterAddressBits-1:0] s_aw_address_i,
  input  logic                                    s_w_valid_i,
  output logic                                    s_w_ready_o,
  input  logic [31:0]                             s_w_data_i,
  input  logic [3:0]                              s_w_strb_i,
  output logic                                    s_b_valid_o,
  input  logic                                    s_b_ready_i,
  output logic [1:0]                              s_b_resp_o,
  input  logic                                    s_ar_valid_i,
  output logic                                    s_ar_ready_o,
  input  logic [vta_pkg::RegisterAddressBits-1:0] s_ar_address_i,
  output logic                                    s_r_valid_o,
  input  logic                                    s_r_ready_i,
  output logic [31:0]                             s_r_data_o,
  output logic [1:0]                              s_r_resp_o,
  output logic                                    interrupt_o,
  // AXI4 master.
  output logic                                    ar_valid_o,
  input  logic                                    ar_ready_i,
  output logic [vta_pkg::AddressBits-1:0]         ar_address_o,
  output logic [7:0]                              ar_len_o,
  output logic [1:0]                              ar_id_o,
  input  logic                                    r_valid_i,
  output logic                                    r_ready_o,
  input  logic [BusBits-1:0]                      r_data_i,
  input  logic [1:0]                              r_id_i,
  input  logic [1:0]                              r_resp_i,
  input  logic                                    r_last_i,
  output logic                                    aw_valid_o,
  input  logic                                    aw_ready_i,
  output logic [vta_pkg::AddressBits-1:0]         aw_address_o,
  output logic [7:0]                              aw_len_o,
  output logic                                    w_valid_o,
  input  logic                                    w_ready_i,
  output logic [BusBits-1:0]                      w_data_o,
  output logic [BusBits/8-1:0]                    w_strb_o,
  output logic                                    w_last_o,
  input  logic                                    b_valid_i,
  output logic                                    b_ready_o,
  input  logic [1:0]                              b_resp_i
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int LaneBits = 10;
  if (BusBits != vta_pkg::BusBits) begin : g_other_bus
    $error("vta_core: BusBits must be uarch.bus_bits of the config");
  end

  // Control.
  logic start, reset, clear, launch, hold, discard, busy, done, ends, expired;
  logic [2:0] outcome;
  logic [AddressBits-1:0] first;
  logic [31:0] count, watchdog;
  logic [5*64-1:0] bases;
  logic [4*16-1:0] states;
  logic [4*32-1:0] indices;
  logic counter_read;
  logic [4:0] counter_select;
  logic [63:0] counter;
  // By module: load, compute, store; fetch apart.
  logic [5:0] kind, waits, queue;
  logic [11:0] fault;
  logic [95:0] index;
  logic [2:0] module_still, module_busy, module_memory, retire, complete, queue_valid, queue_pop,
              queue_full, queue_push, queue_empty, module_start;
  logic [3*160-1:0] queue_data;
  logic [127:0] fetched;
  logic [31:0] fetched_index;
  logic fetch_run, fetch_still;
  logic [1:0] fetch_kind, fetch_target;
  logic [3:0] fetch_fault;
  logic load_drained, store_drained;
  // Reads: fetch, compute, load.
  logic [2:0] request, grant, beat_valid, beat_error, beat_ready, read_idle;
  logic [3*AddressBits-1:0] request_address;
  logic [23:0] request_beats;
  logic [3*BusBits-1:0] beat_data;
  // Tokens, by isa::Queue.
  logic [3:0] push, take, some, space;
  logic unused_some;
  assign unused_some = ^some;

  vta_regs u_regs (
    .clk_i, .rst_ni, .s_aw_valid_i, .s_aw_ready_o, .s_aw_address_i, .s_w_valid_i, .s_w_ready_o,
    .s_w_data_i, .s_w_strb_i, .s_b_valid_o, .s_b_ready_i, .s_b_resp_o, .s_ar_valid_i,
    .s_ar_ready_o, .s_ar_address_i, .s_r_valid_o, .s_r_ready_i, .s_r_data_o, .s_r_resp_o,
    .start_o(start), .reset_o(reset), .first_o(first), .count_o(count), .watchdog_o(watchdog),
    .bases_o(bases), .busy_i(busy), .done_i(done), .ends_i(ends), .expired_i(expired),
    .outcome_i(outcome), .states_i(states), .indices_i(indices), .counter_read_o(counter_read),
    .counter_o(counter_select), .counter_i(counter), .interrupt_o
  );

  logic write_idle, any_halted, any_waiting, bus_moves;
  assign any_halted = fetch_kind == vta_pkg::KIND_HALTED || kind[1:0] == vta_pkg::KIND_HALTED ||
                      kind[3:2] == vta_pkg::KIND_HALTED || kind[5:4] == vta_pkg::KIND_HALTED;
  assign any_waiting = kind[1:0] == vta_pkg::KIND_WAITING || kind[3:2] == vta_pkg::KIND_WAITING ||
                       kind[5:4] == vta_pkg::KIND_WAITING;
  assign bus_moves = (ar_valid_o && ar_ready_i) || r_valid_i || (aw_valid_o && aw_ready_i) ||
                     (w_valid_o && w_ready_i) || b_valid_i;
  vta_control u_control (
    .clk_i, .rst_ni, .start_i(start), .reset_i(reset), .watchdog_i(watchdog),
    .finished_i(retire[1] && compute_opcode == vta_pkg::OP_FINISH),
    .still_i(fetch_still && module_still == 3'b111), .halted_i(any_halted),
    .waiting_i(any_waiting), .bus_idle_i(read_idle == 3'b111 && write_idle && !ar_valid_o),
    .bus_moves_i(bus_moves), .clear_o(clear), .launch_o(launch), .hold_o(hold),
    .discard_o(discard), .busy_o(busy), .done_o(done), .ends_o(ends), .watchdog_o(expired),
    .outcome_o(outcome)
  );

  vta_fetch u_fetch (
    .clk_i, .clear_i(clear), .start_i(launch), .first_i(first), .count_i(count),
    .request_o(request[0]), .address_o(request_address[0 +: AddressBits]),
    .beats_o(request_beats[7:0]), .grant_i(grant[0]), .beat_valid_i(beat_valid[0]),
    .beat_data_i(beat_data[0 +: BusBits]), .beat_error_i(beat_error[0]),
    .beat_ready_o(beat_ready[0]), .push_o(queue_push), .insn_o(fetched),
    .index_o(fetched_index), .full_i(queue_full), .run_o(fetch_run), .still_o(fetch_still),
    .kind_o(fetch_kind), .target_o(fetch_target), .fault_o(fetch_fault)
  );

  for (genvar m = 0; m < 3; m++) begin : g_queue
    vta_commands u_queue (
      .clk_i, .clear_i(clear), .push_i(queue_push[m]), .data_i({fetched_index, fetched}),
      .full_o(queue_full[m]), .valid_o(queue_valid[m]), .data_o(queue_data[m*160 +: 160]),
      .pop_i(queue_pop[m]), .empty_o(queue_empty[m]), .start_i(module_start[m]),
      .halted_i(kind[2*m +: 2] == vta_pkg::KIND_HALTED)
    );
  end

  for (genvar q = 0; q < 4; q++) begin : g_tokens
    vta_tokens u_tokens (
      .clk_i, .clear_i(clear), .push_i(push[q]), .pop_i(take[q]),
      .some_o(some[q]), .space_o(space[q])
    );
  end

  vta_read u_read (
    .clk_i, .rst_ni, .clear_i(clear), .request_i(request & {3{!hold}}),
    .address_i(request_address), .beats_i(request_beats), .grant_o(grant), .valid_o(beat_valid),
    .data_o(beat_data), .error_o(beat_error), .ready_i(beat_ready), .idle_o(read_idle),
    .ar_valid_o, .ar_ready_i, .ar_address_o, .ar_len_o, .ar_id_o, .r_valid_i, .r_ready_o, .r_data_i,
    .r_id_i, .r_resp_i, .r_last_i
  );

  // Load module and its scratchpads.
  logic write_inp, write_wgt, write_all, load_element, load_still;
  logic [15:0] write_row;
  logic [LaneBits-1:0] write_lane;
  logic [BusBits-1:0] write_data;
  logic [2:0] load_opcode, load_type;
  vta_load u_load (
    .clk_i, .clear_i(clear), .bases_i(bases), .insn_valid_i(queue_valid[0]),
    .insn_i(queue_data[0 +: 128]), .insn_index_i(queue_data[128 +: 32]),
    .insn_pop_o(queue_pop[0]), .start_o(module_start[0]), .token_i(push[vta_pkg::QUEUE_COMPUTE_LOAD]),
    .take_o(take[vta_pkg::QUEUE_COMPUTE_LOAD]), .space_i(space[vta_pkg::QUEUE_LOAD_COMPUTE]),
    .push_o(push[vta_pkg::QUEUE_LOAD_COMPUTE]), .request_o(request[2]),
    .address_o(request_address[2*AddressBits +: AddressBits]), .beats_o(request_beats[23:16]),
    .grant_i(grant[2]), .beat_valid_i(beat_valid[2]),
    .beat_data_i(beat_data[2*BusBits +: BusBits]), .beat_error_i(beat_error[2]),
    .beat_ready_o(beat_ready[2]), .write_inp_o(write_inp), .write_wgt_o(write_wgt),
    .write_row_o(write_row), .write_all_o(write_all), .write_lane_o(write_lane),
    .write_data_o(write_data), .kind_o(kind[1:0]), .wait_o(waits[1:0]), .queue_o(queue[1:0]),
    .fault_o(fault[3:0]), .index_o(index[31:0]), .still_o(load_still),
    .drained_o(load_drained), .busy_o(module_busy[0]), .wait_memory_o(module_memory[0]),
    .retire_o(retire[0]), .complete_o(complete[0]),
    .opcode_o(load_opcode), .element_o(load_element), .type_o(load_type)
  );

  logic read_mac;
  logic [vta_pkg::InpIndexBits-1:0] read_inp;
  logic [vta_pkg::WgtIndexBits-1:0] read_wgt;
  logic [vta_pkg::InpBits-1:0] inp;
  logic [vta_pkg::WgtBits-1:0] wgt;
  localparam int InpLanes = vta_pkg::InpBits / BusBits;
  localparam int WgtLanes = vta_pkg::WgtBits / BusBits;
  logic [InpLanes-1:0] inp_lanes;
  logic [WgtLanes-1:0] wgt_lanes;
  assign inp_lanes = write_all ? '1 : InpLanes'(1'b1) << write_lane;
  assign wgt_lanes = write_all ? '1 : WgtLanes'(1'b1) << write_lane;
  vta_ram #(
    .Width(vta_pkg::InpBits), .Depth(vta_pkg::InpDepth), .Lanes(InpLanes), .Registered(1'b1)
  ) u_inp (
    .clk_i, .write_i(write_inp), .write_row_i(write_row[vta_pkg::InpIndexBits-1:0]),
    .write_lanes_i(inp_lanes), .write_data_i({InpLanes{write_data}}), .read_i(read_mac),
    .read_row_i(read_inp), .read_data_o(inp)
  );
  vta_ram #(
    .Width(vta_pkg::WgtBits), .Depth(vta_pkg::WgtDepth), .Lanes(WgtLanes), .Registered(1'b1)
  ) u_wgt (
    .clk_i, .write_i(write_wgt), .write_row_i(write_row[vta_pkg::WgtIndexBits-1:0]),
    .write_lanes_i(wgt_lanes), .write_data_i({WgtLanes{write_data}}), .read_i(read_mac),
    .read_row_i(read_wgt), .read_data_o(wgt)
  );

  // Compute module; OUT between it and store.
  localparam int Units = vta_pkg::AccBanks;
  logic [Units-1:0] write_out, write_acc;
  logic write_uop, write_lut, compute_element, gemm_uop, mac_uop, alu_uop, read_out,
        compute_still, store_still;
  logic [2:0] compute_opcode, compute_type;
  logic [Units*vta_pkg::OutBits-1:0] write_out_data;
  logic [Units*vta_pkg::OutBits-1:0] out_banks;
  logic [vta_pkg::OutBits-1:0] out;
  logic [Units*vta_pkg::AccIndexBits-1:0] acc_row;
  logic [vta_pkg::AccIndexBits-1:0] out_row;
  logic [vta_pkg::AccBits/BusBits-1:0] acc_lanes;
  logic [Units*vta_pkg::AccBits-1:0] acc_data;
  logic [15:0] uop_row;
  logic [4:0] uop_count;
  logic [BusBits-1:0] uop_data;
  vta_compute u_compute (
    .clk_i, .clear_i(clear), .bases_i(bases), .insn_valid_i(queue_valid[1]),
    .insn_i(queue_data[160 +: 128]), .insn_index_i(queue_data[288 +: 32]),
    .insn_pop_o(queue_pop[1]), .start_o(module_start[1]), .token_prev_i(push[vta_pkg::QUEUE_LOAD_COMPUTE]),
    .token_next_i(push[vta_pkg::QUEUE_STORE_COMPUTE]),
    .take_prev_o(take[vta_pkg::QUEUE_LOAD_COMPUTE]),
    .take_next_o(take[vta_pkg::QUEUE_STORE_COMPUTE]),
    .space_prev_i(space[vta_pkg::QUEUE_COMPUTE_LOAD]),
    .space_next_i(space[vta_pkg::QUEUE_COMPUTE_STORE]),
    .push_prev_o(push[vta_pkg::QUEUE_COMPUTE_LOAD]),
    .push_next_o(push[vta_pkg::QUEUE_COMPUTE_STORE]),
    .barrier_i(load_drained && store_drained && queue_empty[0] && queue_empty[2]),
    .request_o(request[1]), .address_o(request_address[AddressBits +: AddressBits]),
    .beats_o(request_beats[15:8]), .grant_i(grant[1]), .beat_valid_i(beat_valid[1]),
    .beat_data_i(beat_data[BusBits +: BusBits]), .beat_error_i(beat_error[1]),
    .beat_ready_o(beat_ready[1]), .read_mac_o(read_mac), .read_inp_o(read_inp),
    .read_wgt_o(read_wgt), .inp_i(inp), .wgt_i(wgt), .write_out_o(write_out),
    .write_out_data_o(write_out_data), .write_acc_o(write_acc), .write_row_o(acc_row),
    .write_lanes_o(acc_lanes), .write_data_o(acc_data), .write_uop_o(write_uop),
    .uop_row_o(uop_row), .uop_count_o(uop_count), .uop_data_o(uop_data), .write_lut_o(write_lut), .kind_o(kind[3:2]),
    .wait_o(waits[3:2]), .queue_o(queue[3:2]), .fault_o(fault[7:4]), .index_o(index[63:32]),
    .still_o(compute_still), .complete_o(complete[1]), .busy_o(module_busy[1]), .wait_memory_o(module_memory[1]),
    .retire_o(retire[1]), .opcode_o(compute_opcode), .element_o(compute_element),
    .type_o(compute_type), .gemm_uop_o(gemm_uop), .mac_uop_o(mac_uop), .alu_uop_o(alu_uop)
  );

  vta_banks #(.Width(vta_pkg::OutBits), .Depth(vta_pkg::AccDepth), .Banks(Units)) u_out (
    .clk_i, .write_i(write_out), .write_row_i(acc_row), .write_lanes_i('1),
    .write_data_i(write_out_data), .read_i(read_out), .read_row_i(out_row), .read_data_o(out_banks)
  );
  if (Units == 2) begin : g_out_bank
    logic bank_q;
    always_ff @(posedge clk_i) if (read_out) bank_q <= out_row[vta_pkg::AccIndexBits-1];
    assign out = out_banks[(bank_q ? vta_pkg::OutBits : 0) +: vta_pkg::OutBits];
  end else begin : g_out
    assign out = out_banks;
  end

  // Store module and the write master.
  logic store_request, store_grant, store_valid, store_ready, write_error, clear_error, acked;
  logic [AddressBits-1:0] store_address;
  logic [7:0] store_beats;
  logic [8:0] acked_beats;
  logic [BusBits-1:0] store_data;
  vta_store u_store (
    .clk_i, .clear_i(clear), .base_i(bases[4*64 +: AddressBits]),
    .insn_valid_i(queue_valid[2]), .insn_i(queue_data[320 +: 128]),
    .insn_index_i(queue_data[448 +: 32]), .insn_pop_o(queue_pop[2]), .start_o(module_start[2]),
    .token_i(some[vta_pkg::QUEUE_COMPUTE_STORE]),
    .take_o(take[vta_pkg::QUEUE_COMPUTE_STORE]), .space_i(space[vta_pkg::QUEUE_STORE_COMPUTE]),
    .push_o(push[vta_pkg::QUEUE_STORE_COMPUTE]), .read_o(read_out), .read_row_o(out_row),
    .read_data_i(out), .request_o(store_request), .address_o(store_address),
    .beats_o(store_beats), .grant_i(store_grant), .data_valid_o(store_valid),
    .data_o(store_data), .data_ready_i(store_ready), .idle_i(write_idle), .error_i(write_error),
    .clear_error_o(clear_error), .kind_o(kind[5:4]), .wait_o(waits[5:4]), .queue_o(queue[5:4]),
    .fault_o(fault[11:8]), .index_o(index[95:64]), .still_o(store_still),
    .drained_o(store_drained), .busy_o(module_busy[2]), .wait_memory_o(module_memory[2]),
    .retire_o(retire[2]), .complete_o(complete[2])
  );
  vta_write u_write (
    .clk_i, .rst_ni, .discard_i(discard), .clear_error_i(clear_error),
    .request_i(store_request && !hold), .address_i(store_address), .beats_i(store_beats),
    .grant_o(store_grant), .data_valid_i(store_valid), .data_i(store_data),
    .data_ready_o(store_ready), .idle_o(write_idle), .error_o(write_error), .acked_o(acked),
    .acked_beats_o(acked_beats),
    .aw_valid_o, .aw_ready_i, .aw_address_o, .aw_len_o, .w_valid_o, .w_ready_i, .w_data_o,
    .w_strb_o, .w_last_o, .b_valid_i, .b_ready_o, .b_resp_i
  );

  assign module_still = {store_still, compute_still, load_still} &
                        (queue_empty | queue_valid);

  // Registers: state words and counters.
  assign states = {fault[11:8], 2'd0, queue[5:4], 2'd0, waits[5:4], 2'd0, kind[5:4],
                   fault[7:4], 2'd0, queue[3:2], 2'd0, waits[3:2], 2'd0, kind[3:2],
                   fault[3:0], 2'd0, queue[1:0], 2'd0, waits[1:0], 2'd0, kind[1:0],
                   fetch_fault, 2'd0, fetch_target, 2'd0,
                   fetch_kind == vta_pkg::KIND_WAITING ? vta_pkg::WAIT_SPACE : vta_pkg::WAIT_NONE,
                   2'd0, fetch_kind};
  assign indices = {index, fetched_index};

  // Every cycle of a module is one of busy, waiting for a token, waiting for memory, and idle.
  logic active;
  logic [2:0] wait_token, wait_memory;
  assign active = busy && !clear;
  assign wait_token = {3{active}} & {store_still && kind[5:4] == vta_pkg::KIND_WAITING,
                                     compute_still && kind[3:2] == vta_pkg::KIND_WAITING,
                                     load_still && kind[1:0] == vta_pkg::KIND_WAITING};
  assign wait_memory = {3{active}} & module_memory;

  logic loads_lut;
  assign loads_lut = vta_pkg::Lut != 0 && write_lut;
  vta_counters u_counters (
    .clk_i, .clear_i(start && !busy), .enable_i(busy),
    .busy_i({3{active}} & module_busy & ~wait_token & ~wait_memory), .wait_token_i(wait_token),
    .wait_memory_i(wait_memory), .retire_i(retire),
    .opcode_i({vta_pkg::OP_STORE, compute_opcode, load_opcode}), .gemm_uop_i(gemm_uop),
    .mac_uop_i(mac_uop), .alu_uop_i(alu_uop), .element_i({compute_element, load_element}),
    .type_i({compute_type, load_type}), .uop_i(write_uop || loads_lut), .uop_count_i(loads_lut ? 5'd1 : uop_count),
    .acked_i(acked), .acked_beats_i(acked_beats), .push_i(push),
    .fetch_i({3{active}} & {fetch_run && !fetch_still && queue_push == 3'b000, fetch_run && fetch_still,
                            queue_push != 3'b000}),
    .read_i(counter_read), .select_i(counter_select), .value_o(counter)
  );
endmodule
