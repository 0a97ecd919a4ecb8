// VTA as an IP: vta_core with complete AXI4 and AXI4-Lite ports, and its reset brought to the clock.
// In Verilog, and with the names of an HLS kernel, because that is what vendors' packagers take: the
// one of Vivado takes no SystemVerilog top (UG1118), and finds interfaces by the prefixes m_axi_ and
// s_axi_; Vitis asks for s_axi_control, interrupt and 64-bit addresses (UG1393). Attributes tell which
// clock and reset belong to them.
module vta_ip #(
  parameter integer C_M_AXI_GMEM_DATA_WIDTH = 64  // uarch.bus_bits of the config
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 ap_clk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF m_axi_gmem:s_axi_control, ASSOCIATED_RESET ap_rst_n" *)
  input  wire                                 ap_clk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 ap_rst_n RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire                                 ap_rst_n,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 interrupt INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output wire                                 interrupt,
  // The host's registers, AXI4-Lite.
  input  wire [11:0]                          s_axi_control_awaddr,
  input  wire [2:0]                           s_axi_control_awprot,
  input  wire                                 s_axi_control_awvalid,
  output wire                                 s_axi_control_awready,
  input  wire [31:0]                          s_axi_control_wdata,
  input  wire [3:0]                           s_axi_control_wstrb,
  input  wire                                 s_axi_control_wvalid,
  output wire                                 s_axi_control_wready,
  output wire [1:0]                           s_axi_control_bresp,
  output wire                                 s_axi_control_bvalid,
  input  wire                                 s_axi_control_bready,
  input  wire [11:0]                          s_axi_control_araddr,
  input  wire [2:0]                           s_axi_control_arprot,
  input  wire                                 s_axi_control_arvalid,
  output wire                                 s_axi_control_arready,
  output wire [31:0]                          s_axi_control_rdata,
  output wire [1:0]                           s_axi_control_rresp,
  output wire                                 s_axi_control_rvalid,
  input  wire                                 s_axi_control_rready,
  // Memory, AXI4.
  output wire [1:0]                           m_axi_gmem_awid,
  output wire [63:0]                          m_axi_gmem_awaddr,
  output wire [7:0]                           m_axi_gmem_awlen,
  output wire [2:0]                           m_axi_gmem_awsize,
  output wire [1:0]                           m_axi_gmem_awburst,
  output wire                                 m_axi_gmem_awlock,
  output wire [3:0]                           m_axi_gmem_awcache,
  output wire [2:0]                           m_axi_gmem_awprot,
  output wire [3:0]                           m_axi_gmem_awqos,
  output wire                                 m_axi_gmem_awvalid,
  input  wire                                 m_axi_gmem_awready,
  output wire [C_M_AXI_GMEM_DATA_WIDTH-1:0]   m_axi_gmem_wdata,
  output wire [C_M_AXI_GMEM_DATA_WIDTH/8-1:0] m_axi_gmem_wstrb,
  output wire                                 m_axi_gmem_wlast,
  output wire                                 m_axi_gmem_wvalid,
  input  wire                                 m_axi_gmem_wready,
  input  wire [1:0]                           m_axi_gmem_bid,
  input  wire [1:0]                           m_axi_gmem_bresp,
  input  wire                                 m_axi_gmem_bvalid,
  output wire                                 m_axi_gmem_bready,
  output wire [1:0]                           m_axi_gmem_arid,
  output wire [63:0]                          m_axi_gmem_araddr,
  output wire [7:0]                           m_axi_gmem_arlen,
  output wire [2:0]                           m_axi_gmem_arsize,
  output wire [1:0]                           m_axi_gmem_arburst,
  output wire                                 m_axi_gmem_arlock,
  output wire [3:0]                           m_axi_gmem_arcache,
  output wire [2:0]                           m_axi_gmem_arprot,
  output wire [3:0]                           m_axi_gmem_arqos,
  output wire                                 m_axi_gmem_arvalid,
  input  wire                                 m_axi_gmem_arready,
  input  wire [1:0]                           m_axi_gmem_rid,
  input  wire [C_M_AXI_GMEM_DATA_WIDTH-1:0]   m_axi_gmem_rdata,
  input  wire [1:0]                           m_axi_gmem_rresp,
  input  wire                                 m_axi_gmem_rlast,
  input  wire                                 m_axi_gmem_rvalid,
  output wire                                 m_axi_gmem_rready
);
  // Whole beats, addresses that grow; normal memory, not cached, whose writes may wait in buffers;
  // unprivileged, secure data; never exclusive.
  localparam integer Size = $clog2(C_M_AXI_GMEM_DATA_WIDTH / 8);
  localparam [1:0] Incrementing = 2'b01;
  localparam [3:0] Bufferable = 4'b0011;

  wire rst_n;
  // Writes have one ID, so their answers come in order.
  wire unused_bits = ^{s_axi_control_awprot, s_axi_control_arprot, m_axi_gmem_bid};

  assign m_axi_gmem_awid = 2'd0;
  assign m_axi_gmem_awsize = Size[2:0];
  assign m_axi_gmem_awburst = Incrementing;
  assign m_axi_gmem_awlock = 1'b0;
  assign m_axi_gmem_awcache = Bufferable;
  assign m_axi_gmem_awprot = 3'b000;
  assign m_axi_gmem_awqos = 4'd0;
  assign m_axi_gmem_awaddr[63:48] = 16'd0;
  assign m_axi_gmem_arsize = Size[2:0];
  assign m_axi_gmem_arburst = Incrementing;
  assign m_axi_gmem_arlock = 1'b0;
  assign m_axi_gmem_arcache = Bufferable;
  assign m_axi_gmem_arprot = 3'b000;
  assign m_axi_gmem_arqos = 4'd0;
  assign m_axi_gmem_araddr[63:48] = 16'd0;

  vta_reset u_reset (.clk_i(ap_clk), .rst_ni(ap_rst_n), .rst_no(rst_n));

  vta_core #(.BusBits(C_M_AXI_GMEM_DATA_WIDTH)) u_core (
    .clk_i(ap_clk), .rst_ni(rst_n), .interrupt_o(interrupt),
    .s_aw_valid_i(s_axi_control_awvalid), .s_aw_ready_o(s_axi_control_awready),
    .s_aw_address_i(s_axi_control_awaddr),
    .s_w_valid_i(s_axi_control_wvalid), .s_w_ready_o(s_axi_control_wready),
    .s_w_data_i(s_axi_control_wdata), .s_w_strb_i(s_axi_control_wstrb),
    .s_b_valid_o(s_axi_control_bvalid), .s_b_ready_i(s_axi_control_bready),
    .s_b_resp_o(s_axi_control_bresp),
    .s_ar_valid_i(s_axi_control_arvalid), .s_ar_ready_o(s_axi_control_arready),
    .s_ar_address_i(s_axi_control_araddr),
    .s_r_valid_o(s_axi_control_rvalid), .s_r_ready_i(s_axi_control_rready),
    .s_r_data_o(s_axi_control_rdata), .s_r_resp_o(s_axi_control_rresp),
    .ar_valid_o(m_axi_gmem_arvalid), .ar_ready_i(m_axi_gmem_arready),
    .ar_address_o(m_axi_gmem_araddr[47:0]), .ar_len_o(m_axi_gmem_arlen),
    .ar_id_o(m_axi_gmem_arid),
    .r_valid_i(m_axi_gmem_rvalid), .r_ready_o(m_axi_gmem_rready), .r_data_i(m_axi_gmem_rdata),
    .r_id_i(m_axi_gmem_rid), .r_resp_i(m_axi_gmem_rresp), .r_last_i(m_axi_gmem_rlast),
    .aw_valid_o(m_axi_gmem_awvalid), .aw_ready_i(m_axi_gmem_awready),
    .aw_address_o(m_axi_gmem_awaddr[47:0]), .aw_len_o(m_axi_gmem_awlen),
    .w_valid_o(m_axi_gmem_wvalid), .w_ready_i(m_axi_gmem_wready), .w_data_o(m_axi_gmem_wdata),
    .w_strb_o(m_axi_gmem_wstrb), .w_last_o(m_axi_gmem_wlast),
    .b_valid_i(m_axi_gmem_bvalid), .b_ready_o(m_axi_gmem_bready), .b_resp_i(m_axi_gmem_bresp)
  );
endmodule
