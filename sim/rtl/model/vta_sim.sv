/// What the simulator drives: the IP with the rules of its buses, and what its modules do, seen by
/// names inside. So the design has no ports for it.
module vta_sim (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  output logic                                    interrupt_o,
  // The host's registers, AXI4-Lite.
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
  // Memory, AXI4.
  output logic                                    ar_valid_o,
  input  logic                                    ar_ready_i,
  output logic [63:0]                             ar_address_o,
  output logic [7:0]                              ar_len_o,
  output logic [2:0]                              ar_size_o,
  output logic [1:0]                              ar_burst_o,
  output logic [1:0]                              ar_id_o,
  input  logic                                    r_valid_i,
  output logic                                    r_ready_o,
  input  logic [vta_pkg::BusBits-1:0]             r_data_i,
  input  logic [1:0]                              r_id_i,
  input  logic [1:0]                              r_resp_i,
  input  logic                                    r_last_i,
  output logic                                    aw_valid_o,
  input  logic                                    aw_ready_i,
  output logic [63:0]                             aw_address_o,
  output logic [7:0]                              aw_len_o,
  output logic [2:0]                              aw_size_o,
  output logic [1:0]                              aw_burst_o,
  output logic [1:0]                              aw_id_o,
  output logic                                    w_valid_o,
  input  logic                                    w_ready_i,
  output logic [vta_pkg::BusBits-1:0]             w_data_o,
  output logic [vta_pkg::BusBits/8-1:0]           w_strb_o,
  output logic                                    w_last_o,
  input  logic                                    b_valid_i,
  output logic                                    b_ready_o,
  input  logic [1:0]                              b_id_i,
  input  logic [1:0]                              b_resp_i,
  input  logic                                    trace_i,  // somebody looks at what follows
  // By load, compute, store.
  output logic [2:0]                              trace_retire_o,
  output logic [2:0]                              trace_halted_o,
  output logic [95:0]                             trace_index_o,
  output logic [11:0]                             trace_fault_o,
  output logic [1:0]                              trace_load_o,       // writes inp, wgt
  output logic [15:0]                             trace_load_row_o,
  output logic                                    trace_load_all_o,
  output logic [9:0]                              trace_load_lane_o,
  output logic [vta_pkg::BusBits-1:0]             trace_load_data_o,
  // By unit of compute, where there are two: writes acc, out; an instruction has made all its writes;
  // the unit of the instruction that retires.
  output logic [3:0]                              trace_acc_o,
  output logic [1:0]                              trace_done_o,
  output logic                                    trace_unit_o,
  // What happens for the second bank's sake: an instruction starts beside another one, retires after it
  // waited for one, waits for its bank, meets a fault while an older one runs.
  output logic [3:0]                              trace_beside_o,
  output logic [31:0]                             trace_acc_row_o,
  output logic [vta_pkg::AccBits/vta_pkg::BusBits-1:0] trace_acc_lanes_o,
  output logic [2*vta_pkg::AccBits-1:0]           trace_acc_data_o,
  output logic                                    trace_uop_o,
  output logic [15:0]                             trace_uop_row_o,
  output logic [4:0]                              trace_uop_count_o,
  output logic [vta_pkg::BusBits-1:0]             trace_uop_data_o,
  output logic                                    trace_lut_o,        // writes a part of the table
  output logic [5:0]                              trace_lut_part_o,
  output logic [31:0]                             trace_lut_data_o,
  // In each cycle of a launch, as the counters count: an instruction runs, or the module waits.
  output logic                                    trace_active_o,
  output logic [2:0]                              trace_run_o,
  output logic [2:0]                              trace_wait_token_o,
  output logic [2:0]                              trace_wait_memory_o,
  output logic [5:0]                              trace_wait_o,       // WAIT_*
  output logic [5:0]                              trace_queue_o,      // QUEUE_*
  // An instruction takes its tokens, and which one; one pushes its own, trace_index_o.
  output logic [2:0]                              trace_start_o,
  output logic [95:0]                             trace_start_index_o,
  output logic [2:0]                              trace_end_o
);
  logic ar_lock, aw_lock;
  logic [3:0] ar_cache, aw_cache, ar_qos, aw_qos;
  logic [2:0] ar_prot, aw_prot;

  vta_ip #(.C_M_AXI_GMEM_DATA_WIDTH(vta_pkg::BusBits)) u_ip (
    .ap_clk(clk_i), .ap_rst_n(rst_ni), .interrupt(interrupt_o),
    .s_axi_control_awaddr(s_aw_address_i), .s_axi_control_awprot(3'd0),
    .s_axi_control_awvalid(s_aw_valid_i), .s_axi_control_awready(s_aw_ready_o),
    .s_axi_control_wdata(s_w_data_i), .s_axi_control_wstrb(s_w_strb_i),
    .s_axi_control_wvalid(s_w_valid_i), .s_axi_control_wready(s_w_ready_o),
    .s_axi_control_bresp(s_b_resp_o), .s_axi_control_bvalid(s_b_valid_o),
    .s_axi_control_bready(s_b_ready_i),
    .s_axi_control_araddr(s_ar_address_i), .s_axi_control_arprot(3'd0),
    .s_axi_control_arvalid(s_ar_valid_i), .s_axi_control_arready(s_ar_ready_o),
    .s_axi_control_rdata(s_r_data_o), .s_axi_control_rresp(s_r_resp_o),
    .s_axi_control_rvalid(s_r_valid_o), .s_axi_control_rready(s_r_ready_i),
    .m_axi_gmem_awid(aw_id_o), .m_axi_gmem_awaddr(aw_address_o), .m_axi_gmem_awlen(aw_len_o),
    .m_axi_gmem_awsize(aw_size_o), .m_axi_gmem_awburst(aw_burst_o), .m_axi_gmem_awlock(aw_lock),
    .m_axi_gmem_awcache(aw_cache), .m_axi_gmem_awprot(aw_prot), .m_axi_gmem_awqos(aw_qos),
    .m_axi_gmem_awvalid(aw_valid_o), .m_axi_gmem_awready(aw_ready_i),
    .m_axi_gmem_wdata(w_data_o), .m_axi_gmem_wstrb(w_strb_o), .m_axi_gmem_wlast(w_last_o),
    .m_axi_gmem_wvalid(w_valid_o), .m_axi_gmem_wready(w_ready_i),
    .m_axi_gmem_bid(b_id_i), .m_axi_gmem_bresp(b_resp_i), .m_axi_gmem_bvalid(b_valid_i),
    .m_axi_gmem_bready(b_ready_o),
    .m_axi_gmem_arid(ar_id_o), .m_axi_gmem_araddr(ar_address_o), .m_axi_gmem_arlen(ar_len_o),
    .m_axi_gmem_arsize(ar_size_o), .m_axi_gmem_arburst(ar_burst_o), .m_axi_gmem_arlock(ar_lock),
    .m_axi_gmem_arcache(ar_cache), .m_axi_gmem_arprot(ar_prot), .m_axi_gmem_arqos(ar_qos),
    .m_axi_gmem_arvalid(ar_valid_o), .m_axi_gmem_arready(ar_ready_i),
    .m_axi_gmem_rid(r_id_i), .m_axi_gmem_rdata(r_data_i), .m_axi_gmem_rresp(r_resp_i),
    .m_axi_gmem_rlast(r_last_i), .m_axi_gmem_rvalid(r_valid_i), .m_axi_gmem_rready(r_ready_o)
  );

  vta_axi_check #(
    .BusBits(vta_pkg::BusBits), .MaxBeats(vta_pkg::MaxBurstBeats),
    .ReadBursts(vta_pkg::OutstandingReads), .WriteBursts(vta_pkg::OutstandingWrites)
  ) u_axi_check (
    .clk_i, .rst_ni,
    .ar_valid_i(ar_valid_o), .ar_ready_i, .ar_address_i(ar_address_o), .ar_len_i(ar_len_o),
    .ar_size_i(ar_size_o), .ar_burst_i(ar_burst_o), .ar_lock_i(ar_lock), .ar_cache_i(ar_cache),
    .ar_prot_i(ar_prot), .ar_qos_i(ar_qos), .ar_id_i(ar_id_o),
    .r_valid_i, .r_ready_i(r_ready_o), .r_data_i, .r_id_i, .r_resp_i, .r_last_i,
    .aw_valid_i(aw_valid_o), .aw_ready_i, .aw_address_i(aw_address_o), .aw_len_i(aw_len_o),
    .aw_size_i(aw_size_o), .aw_burst_i(aw_burst_o), .aw_lock_i(aw_lock), .aw_cache_i(aw_cache),
    .aw_prot_i(aw_prot), .aw_qos_i(aw_qos), .aw_id_i(aw_id_o),
    .w_valid_i(w_valid_o), .w_ready_i, .w_data_i(w_data_o), .w_strb_i(w_strb_o),
    .w_last_i(w_last_o),
    .b_valid_i, .b_ready_i(b_ready_o), .b_id_i, .b_resp_i
  );
  vta_axi_lite_check #(.AddressBits(vta_pkg::RegisterAddressBits)) u_axi_lite_check (
    .clk_i, .rst_ni,
    .aw_valid_i(s_aw_valid_i), .aw_ready_i(s_aw_ready_o), .aw_address_i(s_aw_address_i),
    .aw_prot_i(3'd0),
    .w_valid_i(s_w_valid_i), .w_ready_i(s_w_ready_o), .w_data_i(s_w_data_i),
    .w_strb_i(s_w_strb_i),
    .b_valid_i(s_b_valid_o), .b_ready_i(s_b_ready_i), .b_resp_i(s_b_resp_o),
    .ar_valid_i(s_ar_valid_i), .ar_ready_i(s_ar_ready_o), .ar_address_i(s_ar_address_i),
    .ar_prot_i(3'd0),
    .r_valid_i(s_r_valid_o), .r_ready_i(s_r_ready_i), .r_data_i(s_r_data_o),
    .r_resp_i(s_r_resp_o)
  );

  // What is always there, and what is calculated where somebody looks.
  localparam int Units = vta_pkg::AccBanks, AccBits = vta_pkg::AccBits;
  assign trace_index_o = u_ip.u_core.index;
  assign trace_load_row_o = u_ip.u_core.write_row;
  assign trace_load_all_o = u_ip.u_core.write_all;
  assign trace_load_lane_o = u_ip.u_core.write_lane;
  assign trace_load_data_o = u_ip.u_core.write_data;
  assign trace_acc_lanes_o = u_ip.u_core.acc_lanes;
  for (genvar u = 0; u < 2; u++) begin : g_unit
    if (u < Units) begin : g_is
      assign trace_acc_row_o[16*u +: 16] =
          16'(u_ip.u_core.acc_row[u*vta_pkg::AccIndexBits +: vta_pkg::AccIndexBits]);
      assign trace_acc_data_o[u*AccBits +: AccBits] = u_ip.u_core.acc_data[u*AccBits +: AccBits];
    end else begin : g_none
      assign trace_acc_row_o[16*u +: 16] = 16'd0;
      assign trace_acc_data_o[u*AccBits +: AccBits] = '0;
    end
  end
  assign trace_uop_o = u_ip.u_core.write_uop;
  assign trace_lut_o = u_ip.u_core.write_lut;
  assign trace_active_o = u_ip.u_core.active;

  // What neither unit runs has made all its writes when it waits for nothing but to retire.
  logic works, works_q;
  always_ff @(posedge clk_i) begin
    if (trace_i)
      works_q <= works && !u_ip.u_core.u_compute.finish && !u_ip.u_core.u_compute.start &&
                 !u_ip.u_core.u_compute.clear_i;
  end
  always_comb begin
    {trace_retire_o, trace_halted_o, trace_fault_o, trace_load_o, trace_acc_o, works, trace_done_o, trace_unit_o,
     trace_uop_row_o, trace_uop_count_o, trace_uop_data_o, trace_lut_part_o, trace_lut_data_o, trace_run_o, trace_wait_token_o, trace_wait_memory_o,
     trace_wait_o, trace_queue_o, trace_start_o, trace_start_index_o, trace_end_o} = 'x;
    if (trace_i) begin
      trace_retire_o = u_ip.u_core.complete;
      trace_halted_o = {u_ip.u_core.kind[5:4] == vta_pkg::KIND_HALTED, u_ip.u_core.kind[3:2] == vta_pkg::KIND_HALTED,
                        u_ip.u_core.kind[1:0] == vta_pkg::KIND_HALTED};
      trace_fault_o = u_ip.u_core.fault;
      trace_load_o = {u_ip.u_core.write_wgt, u_ip.u_core.write_inp};
      trace_acc_o = '0;
      for (int u = 0; u < Units; u++) trace_acc_o[2*u +: 2] = {u_ip.u_core.write_out[u], u_ip.u_core.write_acc[u]};
      works = (u_ip.u_core.u_compute.worked || u_ip.u_core.u_compute.complete) && !u_ip.u_core.u_compute.loops_q;
      trace_done_o = u_ip.u_core.u_compute.done | {1'b0, works && !works_q};
      trace_unit_o = u_ip.u_core.u_compute.older ? u_ip.u_core.u_compute.u_older.unit_q[0] :
                     u_ip.u_core.u_compute.unit_q;
      trace_uop_row_o = u_ip.u_core.uop_row;
      trace_uop_count_o = u_ip.u_core.uop_count;
      trace_uop_data_o = u_ip.u_core.uop_data;
      trace_lut_part_o = u_ip.u_core.u_compute.lut_part;
      trace_lut_data_o = u_ip.u_core.u_compute.lut_data;
      trace_run_o = {3{u_ip.u_core.active}} & u_ip.u_core.module_busy;
      trace_wait_token_o = u_ip.u_core.wait_token;
      trace_wait_memory_o = u_ip.u_core.wait_memory;
      trace_wait_o = u_ip.u_core.waits;
      trace_queue_o = u_ip.u_core.queue;
      trace_start_o = {3{u_ip.u_core.active}} & u_ip.u_core.module_start &
          {u_ip.u_core.u_store.head_fault_q == vta_pkg::FAULT_NONE, !u_ip.u_core.u_compute.next_fault,
           !u_ip.u_core.u_load.next_fault};
      trace_start_index_o = {u_ip.u_core.u_store.head_index_q, u_ip.u_core.u_compute.next_index,
                             u_ip.u_core.u_load.next_index};
      trace_end_o = {3{u_ip.u_core.active}} & u_ip.u_core.retire;
    end
  end
  if (Units == 2) begin : g_beside
    assign trace_beside_o = !trace_i ? 'x :
        {u_ip.u_core.u_compute.failed && u_ip.u_core.u_compute.older,
         (u_ip.u_core.u_compute.tile_busy && u_ip.u_core.u_compute.u_load.u_tile.hold_i) ||
         (u_ip.u_core.u_compute.g_unit[0].u_unit.valid && !u_ip.u_core.u_compute.g_unit[0].u_unit.ready),
         u_ip.u_core.u_compute.older_retires && u_ip.u_core.u_compute.u_older.ended_q[0],
         u_ip.u_core.u_compute.overtakes && u_ip.u_core.u_compute.beside};
  end else begin : g_alone
    assign trace_beside_o = 4'd0;
  end
endmodule
