/// Modules of the design side by side, each with its ports at the top: what the unit benches drive.
module vta_bench (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic        fifo_clear_i, fifo_push_i, fifo_pop_i,
  input  logic [31:0] fifo_data_i,
  output logic        fifo_full_o, fifo_valid_o, fifo_empty_o,
  output logic [31:0] fifo_data_o,
  input  logic        queue_clear_i, queue_push_i, queue_pop_i,
  input  logic [31:0] queue_data_i,
  output logic        queue_full_o, queue_valid_o,
  output logic [31:0] queue_data_o,

  // At 133 / 16 clocks a bit.
  input  logic        uart_valid_i, uart_rx_i,
  input  logic [7:0]  uart_data_i,
  output logic        uart_ready_o, uart_tx_o, uart_valid_o, uart_error_o,
  output logic [7:0]  uart_data_o,

  input  logic        tokens_clear_i, tokens_push_i, tokens_pop_i,
  output logic        tokens_some_o, tokens_space_o,

  input  logic [127:0] decode_insn_i,
  output logic [1:0]   decode_module_o,
  output logic [3:0]   decode_fault_o,

  input  logic [2:0]  alu_op_i,
  input  logic        alu_valid_i,
  input  logic [31:0] alu_a_i, alu_b_i, alu_else_i,
  output logic        alu_keep_o,
  output logic [31:0] alu_other_o,
  input  logic        long_valid_i, long_requant_i, long_double_i,
  input  logic [31:0] long_a_i, long_b_i, long_bias_i, long_multiplier_i, long_packed_i,
  input  logic        long_looks_i, long_lut_write_i,
  input  logic [5:0]  long_lut_part_i,
  input  logic [31:0] long_lut_data_i,
  output logic        long_valid_o,
  output logic [31:0] long_result_o,

  input  logic                        mac_valid_i,
  output logic                        mac_valid_o,
  input  logic [vta_pkg::InpBits-1:0] mac_inp_i,
  input  logic [vta_pkg::WgtBits-1:0] mac_wgt_i,
  output logic [vta_pkg::AccBits-1:0] mac_sum_o,

  input  logic                             loop_clear_i, loop_start_i, loop_ready_i,
  input  logic [127:0]                     loop_insn_i,
  output logic                             loop_read_o,
  output logic [vta_pkg::UopIndexBits-1:0] loop_read_row_o,
  input  logic [31:0]                      loop_uop_i,
  output logic                             loop_valid_o, loop_last_o, loop_outside_o,
  output logic [vta_pkg::AccIndexBits-1:0] loop_dst_o,
  output logic [vta_pkg::SrcIndexBits-1:0] loop_src_o,
  output logic [vta_pkg::WgtIndexBits-1:0] loop_wgt_o,
  output logic                             loop_next_valid_o,
  output logic [vta_pkg::AccIndexBits-1:0] loop_next_dst_o,
  output logic [vta_pkg::SrcIndexBits-1:0] loop_next_src_o,
  // The same with a kernel that is kept, in step with it, and the range of its rows.
  output logic                             kept_read_o,
  output logic [vta_pkg::UopIndexBits-1:0] kept_read_row_o,
  input  logic [31:0]                      kept_uop_i,
  output logic                             kept_valid_o, kept_last_o, kept_outside_o, kept_kept_o,
                                           kept_first_o, kept_pass_o,
  output logic [vta_pkg::AccIndexBits-1:0] kept_dst_o,
  output logic [vta_pkg::SrcIndexBits-1:0] kept_src_o,
  output logic [vta_pkg::WgtIndexBits-1:0] kept_wgt_o,
  output logic                             reach_known_o, reach_bank_o,

  // Two writers and two readers of 16 rows; one reader of the same.
  input  logic [1:0]  banks_write_i, banks_read_i,
  input  logic [7:0]  banks_write_row_i, banks_read_row_i,
  input  logic [3:0]  banks_write_lanes_i,
  input  logic [31:0] banks_write_data_i,
  output logic [31:0] banks_read_data_o, banks_one_data_o,

  input  logic         tile_clear_i, tile_start_i, tile_beat_valid_i, tile_beat_error_i,
  input  logic [127:0] tile_insn_i,
  input  logic [16:0]  tile_depth_i,
  input  logic [7:0]   tile_last_lane_i,
  output logic         tile_busy_o, tile_beat_ready_o, tile_write_o, tile_pad_o, tile_element_o,
  output logic         tile_ending_o, tile_done_o, tile_failed_o,
  output logic [15:0]  tile_row_o,
  output logic [7:0]   tile_lane_o,
  output logic [3:0]   tile_fault_o,

  input  logic                             uops_clear_i, uops_start_i, uops_beat_valid_i,
  input  logic                             uops_beat_error_i, uops_read_i,
  input  logic [127:0]                     uops_insn_i,
  input  logic [vta_pkg::BusBits-1:0]      uops_beat_data_i,
  input  logic [vta_pkg::UopIndexBits-1:0] uops_read_row_i,
  output logic                             uops_beat_ready_o, uops_write_o, uops_done_o,
                                           uops_failed_o,
  output logic [15:0]                      uops_row_o,
  output logic [4:0]                       uops_count_o,
  output logic [vta_pkg::BusBits-1:0]      uops_data_o,
  output logic [3:0]                       uops_fault_o,
  output logic [31:0]                      uops_read_data_o,

  // Two walkers: one that ends at the limit, one that has none.
  input  logic                            bursts_clear_i, bursts_serial_i, bursts_idle_i,
  input  logic [1:0]                      bursts_start_i,
  input  logic [vta_pkg::AddressBits-1:0] bursts_base_i,
  input  logic [31:0]                     bursts_first_i,
  input  logic [15:0]                     bursts_x_size_i, bursts_y_size_i, bursts_x_stride_i,
  input  logic [3:0]                      bursts_log_bytes_i,
  input  logic [16:0]                     bursts_limit_i,
  output logic [1:0]                      bursts_free_o, bursts_busy_o, bursts_cut_o, bursts_valid_o,
  output logic [127:0]                    bursts_address_o,
  output logic [15:0]                     bursts_beats_o,
  input  logic                            bursts_ready_i,

  input  logic                              read_clear_i,
  input  logic [2:0]                        read_request_i,
  input  logic [3*vta_pkg::AddressBits-1:0] read_address_i,
  input  logic [23:0]                       read_beats_i,
  output logic [2:0]                        read_grant_o, read_valid_o, read_error_o, read_idle_o,
  output logic [3*vta_pkg::BusBits-1:0]     read_data_o,
  input  logic [2:0]                        read_ready_i,
  output logic                              ar_valid_o,
  input  logic                              ar_ready_i,
  output logic [vta_pkg::AddressBits-1:0]   ar_address_o,
  output logic [7:0]                        ar_len_o,
  output logic [1:0]                        ar_id_o,
  input  logic                              r_valid_i,
  output logic                              r_ready_o,
  input  logic [vta_pkg::BusBits-1:0]       r_data_i,
  input  logic [1:0]                        r_id_i, r_resp_i,
  input  logic                              r_last_i,

  input  logic                            write_discard_i, write_clear_error_i, write_request_i,
  input  logic [vta_pkg::AddressBits-1:0] write_address_i,
  input  logic [7:0]                      write_beats_i,
  output logic                            write_grant_o,
  input  logic                            write_data_valid_i,
  input  logic [vta_pkg::BusBits-1:0]     write_data_i,
  output logic                            write_data_ready_o, write_idle_o, write_error_o,
  output logic                            write_acked_o,
  output logic [8:0]                      write_acked_beats_o,
  output logic                            aw_valid_o,
  input  logic                            aw_ready_i,
  output logic [vta_pkg::AddressBits-1:0] aw_address_o,
  output logic [7:0]                      aw_len_o,
  output logic                            w_valid_o,
  input  logic                            w_ready_i,
  output logic [vta_pkg::BusBits-1:0]     w_data_o,
  output logic [vta_pkg::BusBits/8-1:0]   w_strb_o,
  output logic                            w_last_o,
  input  logic                            b_valid_i,
  output logic                            b_ready_o,
  input  logic [1:0]                      b_resp_i,

  // The rules of the buses, driven by themselves.
  input  logic        check_ar_valid_i, check_ar_ready_i, check_ar_lock_i, check_r_valid_i,
  input  logic        check_r_ready_i, check_r_last_i, check_aw_valid_i, check_aw_ready_i,
  input  logic        check_aw_lock_i, check_w_valid_i, check_w_ready_i, check_w_last_i,
  input  logic        check_b_valid_i, check_b_ready_i,
  input  logic [63:0] check_ar_address_i, check_r_data_i, check_aw_address_i, check_w_data_i,
  input  logic [7:0]  check_ar_len_i, check_aw_len_i, check_w_strb_i,
  input  logic [2:0]  check_ar_size_i, check_ar_prot_i, check_aw_size_i, check_aw_prot_i,
  input  logic [1:0]  check_ar_burst_i, check_ar_id_i, check_r_id_i, check_r_resp_i,
  input  logic [1:0]  check_aw_burst_i, check_aw_id_i, check_b_id_i, check_b_resp_i,
  input  logic [3:0]  check_ar_cache_i, check_ar_qos_i, check_aw_cache_i, check_aw_qos_i,
  input  logic        lite_aw_valid_i, lite_aw_ready_i, lite_w_valid_i, lite_w_ready_i,
  input  logic        lite_b_valid_i, lite_b_ready_i, lite_ar_valid_i, lite_ar_ready_i,
  input  logic        lite_r_valid_i, lite_r_ready_i,
  input  logic [11:0] lite_aw_address_i, lite_ar_address_i,
  input  logic [2:0]  lite_aw_prot_i, lite_ar_prot_i,
  input  logic [31:0] lite_w_data_i, lite_r_data_i,
  input  logic [3:0]  lite_w_strb_i,
  input  logic [1:0]  lite_b_resp_i, lite_r_resp_i
);
  vta_fifo #(.Width(32), .Depth(8)) u_fifo (
    .clk_i, .clear_i(fifo_clear_i || !rst_ni), .push_i(fifo_push_i), .data_i(fifo_data_i),
    .full_o(fifo_full_o), .valid_o(fifo_valid_o), .data_o(fifo_data_o), .pop_i(fifo_pop_i),
    .empty_o(fifo_empty_o)
  );
  vta_queue #(.Width(32), .Depth(4)) u_queue (
    .clk_i, .clear_i(queue_clear_i || !rst_ni), .push_i(queue_push_i), .data_i(queue_data_i),
    .full_o(queue_full_o), .valid_o(queue_valid_o), .data_o(queue_data_o), .pop_i(queue_pop_i)
  );
  vta_uart_tx #(.BitSixteenths(133)) u_uart_tx (
    .clk_i, .rst_ni, .valid_i(uart_valid_i), .ready_o(uart_ready_o), .data_i(uart_data_i),
    .uart_o(uart_tx_o)
  );
  vta_uart_rx #(.BitSixteenths(133)) u_uart_rx (
    .clk_i, .rst_ni, .uart_i(uart_rx_i), .valid_o(uart_valid_o), .error_o(uart_error_o),
    .data_o(uart_data_o)
  );
  vta_tokens u_tokens (
    .clk_i, .clear_i(tokens_clear_i || !rst_ni), .push_i(tokens_push_i), .pop_i(tokens_pop_i),
    .some_o(tokens_some_o), .space_o(tokens_space_o)
  );
  vta_decode u_decode (
    .valid_i(1'b1), .insn_i(decode_insn_i), .module_o(decode_module_o), .fault_o(decode_fault_o)
  );
  vta_alu u_alu (
    .valid_i(alu_valid_i), .shift_i(alu_op_i == vta_pkg::ALU_SHR),
    .subtract_i(alu_op_i == vta_pkg::ALU_MIN || alu_op_i == vta_pkg::ALU_MAX),
    .least_i(alu_op_i == vta_pkg::ALU_MIN), .a_i(alu_a_i), .b_i(alu_b_i), .else_i(alu_else_i),
    .keep_o(alu_keep_o), .other_o(alu_other_o)
  );

  // Which stages hold something; the module has no valid of its own.
  logic [vta_pkg::LongStages-1:0] stages_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stages_q <= '0;
    else stages_q <= {stages_q[vta_pkg::LongStages-2:0], long_valid_i};
  end
  assign long_valid_o = stages_q[vta_pkg::LongStages-1];
  vta_alu_long u_alu_long (
    .clk_i, .valid_i({stages_q, long_valid_i}),
    .requant_i(long_requant_i), .double_i(long_double_i), .a_i(long_a_i), .b_i(long_b_i),
    .bias_i(long_bias_i), .multiplier_i(long_multiplier_i), .packed_i(long_packed_i),
    .looks_i(long_looks_i), .lut_i({long_lut_write_i, long_lut_part_i, long_lut_data_i}),
    .result_o(long_result_o)
  );
  logic [1:0] mac_stages_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) mac_stages_q <= '0;
    else mac_stages_q <= {mac_stages_q[0], mac_valid_i};
  end
  assign mac_valid_o = mac_stages_q[1];
  vta_mac u_mac (
    .clk_i, .valid_i({mac_stages_q, mac_valid_i}), .inp_i(mac_inp_i), .wgt_i(mac_wgt_i),
    .sum_o(mac_sum_o)
  );
  vta_loop u_loop (
    .clk_i, .clear_i(loop_clear_i || !rst_ni), .prepare_i(loop_start_i), .start_i(loop_start_i),
    .start_insn_i(loop_insn_i), .insn_i(loop_insn_i), .read_o(loop_read_o), .read_row_o(loop_read_row_o), .uop_i(loop_uop_i),
    .valid_o(loop_valid_o), .last_o(loop_last_o), .outside_o(loop_outside_o), .dst_o(loop_dst_o),
    .src_o(loop_src_o), .wgt_o(loop_wgt_o), .next_valid_o(loop_next_valid_o),
    .next_dst_o(loop_next_dst_o), .next_src_o(loop_next_src_o), .ready_i(loop_ready_i),
    .kept_o(), .first_o(), .pass_o()
  );
  vta_loop #(.Keeps(1'b1)) u_kept (
    .clk_i, .clear_i(loop_clear_i || !rst_ni), .prepare_i(loop_start_i), .start_i(loop_start_i), .start_insn_i(loop_insn_i),
    .insn_i(loop_insn_i), .read_o(kept_read_o), .read_row_o(kept_read_row_o), .uop_i(kept_uop_i),
    .valid_o(kept_valid_o), .last_o(kept_last_o), .outside_o(kept_outside_o), .dst_o(kept_dst_o),
    .src_o(kept_src_o), .wgt_o(kept_wgt_o), .next_valid_o(), .next_dst_o(), .next_src_o(),
    .ready_i(loop_ready_i), .kept_o(kept_kept_o), .first_o(kept_first_o), .pass_o(kept_pass_o)
  );
  vta_reach u_reach (
    .clk_i, .start_i(loop_start_i), .insn_i(loop_insn_i), .valid_i(kept_valid_o && kept_first_o),
    .last_i(kept_pass_o), .outside_i(kept_outside_o), .dst_i(kept_dst_o),
    .src_i(kept_src_o[vta_pkg::AccIndexBits-1:0]), .known_o(reach_known_o), .bank_o(reach_bank_o)
  );
  vta_banks #(.Width(16), .Depth(16), .Lanes(2), .Banks(2), .Readers(2)) u_banks (
    .clk_i, .write_i(banks_write_i), .write_row_i(banks_write_row_i),
    .write_lanes_i(banks_write_lanes_i), .write_data_i(banks_write_data_i),
    .read_i(banks_read_i), .read_row_i(banks_read_row_i), .read_data_o(banks_read_data_o)
  );
  vta_banks #(.Width(16), .Depth(16), .Lanes(2), .Banks(2)) u_banks_one (
    .clk_i, .write_i(banks_write_i), .write_row_i(banks_write_row_i),
    .write_lanes_i(banks_write_lanes_i), .write_data_i(banks_write_data_i),
    .read_i(banks_read_i[0]), .read_row_i(banks_read_row_i[3:0]), .read_data_o(banks_one_data_o)
  );
  vta_tile #(.LaneBits(8)) u_tile (
    .clk_i, .clear_i(tile_clear_i || !rst_ni), .start_i(tile_start_i), .insn_i(tile_insn_i),
    .depth_i(tile_depth_i), .last_lane_i(tile_last_lane_i), .hold_i(1'b0), .busy_o(tile_busy_o),
    .beat_valid_i(tile_beat_valid_i), .beat_error_i(tile_beat_error_i),
    .beat_ready_o(tile_beat_ready_o), .write_o(tile_write_o), .pad_o(tile_pad_o),
    .row_o(tile_row_o), .lane_o(tile_lane_o), .element_o(tile_element_o),
    .ending_o(tile_ending_o), .done_o(tile_done_o), .failed_o(tile_failed_o),
    .fault_o(tile_fault_o)
  );
  vta_uop_memory u_uops (
    .clk_i, .clear_i(uops_clear_i || !rst_ni), .start_i(uops_start_i), .insn_i(uops_insn_i),
    .beat_valid_i(uops_beat_valid_i), .beat_error_i(uops_beat_error_i),
    .beat_data_i(uops_beat_data_i), .beat_ready_o(uops_beat_ready_o), .write_o(uops_write_o),
    .row_o(uops_row_o), .count_o(uops_count_o), .data_o(uops_data_o), .done_o(uops_done_o),
    .failed_o(uops_failed_o), .fault_o(uops_fault_o), .read_i(uops_read_i), .read_row_i(uops_read_row_i),
    .read_data_o(uops_read_data_o)
  );
  vta_bursts #(.Limited(1)) u_bursts0 (
    .clk_i, .clear_i(bursts_clear_i || !rst_ni), .start_i(bursts_start_i[0]),
    .base_i(bursts_base_i), .first_i(bursts_first_i), .x_size_i(bursts_x_size_i),
    .y_size_i(bursts_y_size_i), .x_stride_i(bursts_x_stride_i), .log_bytes_i(bursts_log_bytes_i),
    .limit_i(bursts_limit_i), .serial_i(bursts_serial_i), .idle_i(bursts_idle_i),
    .ready_o(bursts_free_o[0]), .busy_o(bursts_busy_o[0]), .cut_o(bursts_cut_o[0]),
    .valid_o(bursts_valid_o[0]), .address_o(bursts_address_o[0 +: vta_pkg::AddressBits]),
    .beats_o(bursts_beats_o[7:0]), .ready_i(bursts_ready_i)
  );
  vta_bursts #(.Limited(0)) u_bursts1 (
    .clk_i, .clear_i(bursts_clear_i || !rst_ni), .start_i(bursts_start_i[1]),
    .base_i(bursts_base_i), .first_i(bursts_first_i), .x_size_i(bursts_x_size_i),
    .y_size_i(bursts_y_size_i), .x_stride_i(bursts_x_stride_i), .log_bytes_i(bursts_log_bytes_i),
    .limit_i(bursts_limit_i), .serial_i(bursts_serial_i), .idle_i(bursts_idle_i),
    .ready_o(bursts_free_o[1]), .busy_o(bursts_busy_o[1]), .cut_o(bursts_cut_o[1]),
    .valid_o(bursts_valid_o[1]), .address_o(bursts_address_o[64 +: vta_pkg::AddressBits]),
    .beats_o(bursts_beats_o[15:8]), .ready_i(bursts_ready_i)
  );
  assign bursts_address_o[63:vta_pkg::AddressBits] = '0;
  assign bursts_address_o[127:64+vta_pkg::AddressBits] = '0;
  vta_read u_read (
    .clk_i, .rst_ni, .clear_i(read_clear_i || !rst_ni), .request_i(read_request_i),
    .address_i(read_address_i), .beats_i(read_beats_i), .grant_o(read_grant_o),
    .valid_o(read_valid_o), .data_o(read_data_o), .error_o(read_error_o), .ready_i(read_ready_i),
    .idle_o(read_idle_o), .ar_valid_o, .ar_ready_i, .ar_address_o, .ar_len_o, .ar_id_o,
    .r_valid_i, .r_ready_o, .r_data_i, .r_id_i, .r_resp_i, .r_last_i
  );
  vta_write u_write (
    .clk_i, .rst_ni, .discard_i(write_discard_i), .clear_error_i(write_clear_error_i),
    .request_i(write_request_i), .address_i(write_address_i), .beats_i(write_beats_i),
    .grant_o(write_grant_o), .data_valid_i(write_data_valid_i), .data_i(write_data_i),
    .data_ready_o(write_data_ready_o), .idle_o(write_idle_o), .error_o(write_error_o),
    .acked_o(write_acked_o), .acked_beats_o(write_acked_beats_o), .aw_valid_o, .aw_ready_i,
    .aw_address_o, .aw_len_o, .w_valid_o, .w_ready_i, .w_data_o, .w_strb_o, .w_last_o, .b_valid_i,
    .b_ready_o, .b_resp_i
  );

  // The rules of AXI4 beside the masters, and by themselves.
  localparam logic [2:0] Size = 3'(vta_pkg::LogBeatBytes);
  vta_axi_check #(
    .AddressBits(vta_pkg::AddressBits), .BusBits(vta_pkg::BusBits),
    .MaxBeats(vta_pkg::MaxBurstBeats), .ReadBursts(vta_pkg::OutstandingReads),
    .WriteBursts(vta_pkg::OutstandingWrites)
  ) u_axi_check (
    .clk_i, .rst_ni, .ar_valid_i(ar_valid_o), .ar_ready_i, .ar_address_i(ar_address_o),
    .ar_len_i(ar_len_o), .ar_size_i(Size), .ar_burst_i(2'b01), .ar_lock_i(1'b0),
    .ar_cache_i(4'b0011), .ar_prot_i(3'd0), .ar_qos_i(4'd0), .ar_id_i(ar_id_o),
    .r_valid_i, .r_ready_i(r_ready_o), .r_data_i, .r_id_i, .r_resp_i, .r_last_i,
    .aw_valid_i(aw_valid_o), .aw_ready_i, .aw_address_i(aw_address_o), .aw_len_i(aw_len_o),
    .aw_size_i(Size), .aw_burst_i(2'b01), .aw_lock_i(1'b0), .aw_cache_i(4'b0011),
    .aw_prot_i(3'd0), .aw_qos_i(4'd0), .aw_id_i(2'd0), .w_valid_i(w_valid_o), .w_ready_i,
    .w_data_i(w_data_o), .w_strb_i(w_strb_o), .w_last_i(w_last_o), .b_valid_i,
    .b_ready_i(b_ready_o), .b_id_i(2'd0), .b_resp_i
  );
  vta_axi_check #(.ReadBursts(3), .WriteBursts(3)) u_check (
    .clk_i, .rst_ni,
    .ar_valid_i(check_ar_valid_i), .ar_ready_i(check_ar_ready_i), .ar_address_i(check_ar_address_i),
    .ar_len_i(check_ar_len_i), .ar_size_i(check_ar_size_i), .ar_burst_i(check_ar_burst_i),
    .ar_lock_i(check_ar_lock_i), .ar_cache_i(check_ar_cache_i), .ar_prot_i(check_ar_prot_i),
    .ar_qos_i(check_ar_qos_i), .ar_id_i(check_ar_id_i), .r_valid_i(check_r_valid_i),
    .r_ready_i(check_r_ready_i), .r_data_i(check_r_data_i), .r_id_i(check_r_id_i),
    .r_resp_i(check_r_resp_i), .r_last_i(check_r_last_i), .aw_valid_i(check_aw_valid_i),
    .aw_ready_i(check_aw_ready_i), .aw_address_i(check_aw_address_i), .aw_len_i(check_aw_len_i),
    .aw_size_i(check_aw_size_i), .aw_burst_i(check_aw_burst_i), .aw_lock_i(check_aw_lock_i),
    .aw_cache_i(check_aw_cache_i), .aw_prot_i(check_aw_prot_i), .aw_qos_i(check_aw_qos_i),
    .aw_id_i(check_aw_id_i), .w_valid_i(check_w_valid_i), .w_ready_i(check_w_ready_i),
    .w_data_i(check_w_data_i), .w_strb_i(check_w_strb_i), .w_last_i(check_w_last_i),
    .b_valid_i(check_b_valid_i), .b_ready_i(check_b_ready_i), .b_id_i(check_b_id_i),
    .b_resp_i(check_b_resp_i)
  );
  vta_axi_lite_check u_lite_check (
    .clk_i, .rst_ni,
    .aw_valid_i(lite_aw_valid_i), .aw_ready_i(lite_aw_ready_i), .aw_address_i(lite_aw_address_i),
    .aw_prot_i(lite_aw_prot_i), .w_valid_i(lite_w_valid_i), .w_ready_i(lite_w_ready_i),
    .w_data_i(lite_w_data_i), .w_strb_i(lite_w_strb_i), .b_valid_i(lite_b_valid_i),
    .b_ready_i(lite_b_ready_i), .b_resp_i(lite_b_resp_i), .ar_valid_i(lite_ar_valid_i),
    .ar_ready_i(lite_ar_ready_i), .ar_address_i(lite_ar_address_i), .ar_prot_i(lite_ar_prot_i),
    .r_valid_i(lite_r_valid_i), .r_ready_i(lite_r_ready_i), .r_data_i(lite_r_data_i),
    .r_resp_i(lite_r_resp_i)
  );
endmodule
