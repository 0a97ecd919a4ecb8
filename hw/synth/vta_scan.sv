/// The IP for place and route alone, behind four pins: a shift register drives every input, every
/// output that varies goes through a register into a signature. Each path of the design so ends in
/// registers beside it, and nothing of it is optimised away.
module vta_scan (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic scan_i,
  output logic scan_o
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int BusBits = vta_pkg::BusBits;
  localparam int InputBits = 77 + BusBits;
  localparam int OutputBits = 66 + 2 * AddressBits + BusBits + BusBits / 8;

  logic [InputBits-1:0] inputs_q;
  logic [OutputBits-1:0] outputs, outputs_q, signature_q;
  always_ff @(posedge clk_i) begin
    inputs_q <= {inputs_q[InputBits-2:0], scan_i};
    outputs_q <= outputs;
    signature_q <= {signature_q[OutputBits-2:0], scan_i} ^ outputs_q;
  end
  assign scan_o = signature_q[OutputBits-1];

  logic s_aw_valid, s_w_valid, s_b_ready, s_ar_valid, s_r_ready, ar_ready, r_valid, r_last,
        aw_ready, w_ready, b_valid;
  logic [vta_pkg::RegisterAddressBits-1:0] s_aw_address, s_ar_address;
  logic [31:0] s_w_data;
  logic [3:0] s_w_strb;
  logic [BusBits-1:0] r_data;
  logic [1:0] r_id, r_resp, b_resp;
  assign {s_aw_valid, s_aw_address, s_w_valid, s_w_data, s_w_strb, s_b_ready, s_ar_valid,
          s_ar_address, s_r_ready, ar_ready, r_valid, r_data, r_id, r_resp, r_last, aw_ready,
          w_ready, b_valid, b_resp} = inputs_q;

  logic s_aw_ready, s_w_ready, s_b_valid, s_ar_ready, s_r_valid, interrupt, ar_valid, r_ready,
        aw_valid, w_valid, w_last, b_ready;
  logic [1:0] s_b_resp, s_r_resp;
  logic [31:0] s_r_data;
  logic [63:0] ar_address, aw_address;
  logic [7:0] ar_len, aw_len;
  logic [1:0] ar_id;
  logic [BusBits-1:0] w_data;
  logic [BusBits/8-1:0] w_strb;
  assign outputs = {s_aw_ready, s_w_ready, s_b_valid, s_b_resp, s_ar_ready, s_r_valid, s_r_data,
                    s_r_resp, interrupt, ar_valid, ar_address[AddressBits-1:0], ar_len, ar_id,
                    r_ready, aw_valid, aw_address[AddressBits-1:0], aw_len, w_valid, w_data,
                    w_strb, w_last, b_ready};

  // What the IP always says.
  logic [2:0] aw_size, aw_prot, ar_size, ar_prot;
  logic [1:0] aw_id, aw_burst, ar_burst;
  logic [3:0] aw_cache, aw_qos, ar_cache, ar_qos;
  logic aw_lock, ar_lock, unused_constants;
  assign unused_constants = ^{aw_size, aw_prot, ar_size, ar_prot, aw_id, aw_burst, ar_burst,
                              aw_cache, aw_qos, ar_cache, ar_qos, aw_lock, ar_lock,
                              ar_address[63:AddressBits], aw_address[63:AddressBits]};

  vta_ip #(.C_M_AXI_GMEM_DATA_WIDTH(BusBits)) u_ip (
    .ap_clk(clk_i), .ap_rst_n(rst_ni), .interrupt(interrupt),
    .s_axi_control_awaddr(s_aw_address), .s_axi_control_awprot(3'd0),
    .s_axi_control_awvalid(s_aw_valid), .s_axi_control_awready(s_aw_ready),
    .s_axi_control_wdata(s_w_data), .s_axi_control_wstrb(s_w_strb),
    .s_axi_control_wvalid(s_w_valid), .s_axi_control_wready(s_w_ready),
    .s_axi_control_bresp(s_b_resp), .s_axi_control_bvalid(s_b_valid),
    .s_axi_control_bready(s_b_ready),
    .s_axi_control_araddr(s_ar_address), .s_axi_control_arprot(3'd0),
    .s_axi_control_arvalid(s_ar_valid), .s_axi_control_arready(s_ar_ready),
    .s_axi_control_rdata(s_r_data), .s_axi_control_rresp(s_r_resp),
    .s_axi_control_rvalid(s_r_valid), .s_axi_control_rready(s_r_ready),
    .m_axi_gmem_awid(aw_id), .m_axi_gmem_awaddr(aw_address), .m_axi_gmem_awlen(aw_len),
    .m_axi_gmem_awsize(aw_size), .m_axi_gmem_awburst(aw_burst), .m_axi_gmem_awlock(aw_lock),
    .m_axi_gmem_awcache(aw_cache), .m_axi_gmem_awprot(aw_prot), .m_axi_gmem_awqos(aw_qos),
    .m_axi_gmem_awvalid(aw_valid), .m_axi_gmem_awready(aw_ready),
    .m_axi_gmem_wdata(w_data), .m_axi_gmem_wstrb(w_strb), .m_axi_gmem_wlast(w_last),
    .m_axi_gmem_wvalid(w_valid), .m_axi_gmem_wready(w_ready),
    .m_axi_gmem_bid(2'd0), .m_axi_gmem_bresp(b_resp), .m_axi_gmem_bvalid(b_valid),
    .m_axi_gmem_bready(b_ready),
    .m_axi_gmem_arid(ar_id), .m_axi_gmem_araddr(ar_address), .m_axi_gmem_arlen(ar_len),
    .m_axi_gmem_arsize(ar_size), .m_axi_gmem_arburst(ar_burst), .m_axi_gmem_arlock(ar_lock),
    .m_axi_gmem_arcache(ar_cache), .m_axi_gmem_arprot(ar_prot), .m_axi_gmem_arqos(ar_qos),
    .m_axi_gmem_arvalid(ar_valid), .m_axi_gmem_arready(ar_ready),
    .m_axi_gmem_rid(r_id), .m_axi_gmem_rdata(r_data), .m_axi_gmem_rresp(r_resp),
    .m_axi_gmem_rlast(r_last), .m_axi_gmem_rvalid(r_valid), .m_axi_gmem_rready(r_ready)
  );
endmodule
