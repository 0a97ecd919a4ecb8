// vta_host in a block design: with complete AXI4-Lite ports, under the names of vta_ip.
module vta_host_ip #(
  parameter integer MEMORY_MIB = 4096  // memory ends there
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 ap_clk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi_control, ASSOCIATED_RESET ap_rst_n" *)
  input  wire          ap_clk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 ap_rst_n RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire          ap_rst_n,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 interrupt INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output wire          interrupt,
  // The host's registers, AXI4-Lite.
  input  wire [11:0]   s_axi_control_awaddr,
  input  wire [2:0]    s_axi_control_awprot,
  input  wire          s_axi_control_awvalid,
  output wire          s_axi_control_awready,
  input  wire [31:0]   s_axi_control_wdata,
  input  wire [3:0]    s_axi_control_wstrb,
  input  wire          s_axi_control_wvalid,
  output wire          s_axi_control_wready,
  output wire [1:0]    s_axi_control_bresp,
  output wire          s_axi_control_bvalid,
  input  wire          s_axi_control_bready,
  input  wire [11:0]   s_axi_control_araddr,
  input  wire [2:0]    s_axi_control_arprot,
  input  wire          s_axi_control_arvalid,
  output wire          s_axi_control_arready,
  output wire [31:0]   s_axi_control_rdata,
  output wire [1:0]    s_axi_control_rresp,
  output wire          s_axi_control_rvalid,
  input  wire          s_axi_control_rready,
  // The monitor's wires.
  output wire [31:0]   start_number,
  output wire [31:0]   stop_number,
  output wire [511:0]  launch,
  input  wire [2431:0] result
);
  wire unused_bits = ^{s_axi_control_awprot, s_axi_control_arprot};

  vta_host #(.MemoryMib(MEMORY_MIB)) u_host (
    .clk_i(ap_clk), .rst_ni(ap_rst_n), .interrupt_o(interrupt),
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
    .start_o(start_number), .stop_o(stop_number), .launch_o(launch), .result_i(result)
  );
endmodule
