// What lies beside the kernels in a block design: the way from the host to their wires, and a scratchpad.
module host_bench (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
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
  output logic [31:0]                             start_o,
  output logic [31:0]                             stop_o,
  output logic [511:0]                            launch_o,
  input  logic [2431:0]                           result_i,
  input  logic                                    result_valid_i,
  input  logic                                    write_i,
  input  logic [3:0]                              write_bytes_i,
  input  logic [31:0]                             write_address_i,
  input  logic [31:0]                             write_data_i,
  input  logic                                    read_i,
  input  logic [31:0]                             read_address_i,
  output logic [31:0]                             read_data_o
);
  logic [2431:0] held;

  vta_hold #(.WIDTH(2432)) u_hold (
    .ap_clk(clk_i), .ap_rst_n(rst_ni), .value(result_i), .value_ap_vld(result_valid_i), .held
  );
  vta_scratchpad #(.ROW_BYTES(4), .ROWS(8)) u_scratchpad (
    .a_clk(clk_i), .a_rst(!rst_ni), .a_en(write_i), .a_we(write_bytes_i), .a_addr(write_address_i),
    .a_din(write_data_i), .a_dout(), .b_clk(clk_i), .b_rst(!rst_ni), .b_en(read_i), .b_we(4'd0),
    .b_addr(read_address_i), .b_din(32'd0), .b_dout(read_data_o)
  );
  vta_host_ip #(.MEMORY_MIB(1)) u_host (
    .ap_clk(clk_i), .ap_rst_n(rst_ni), .interrupt(interrupt_o),
    .s_axi_control_awaddr(s_aw_address_i), .s_axi_control_awprot(3'd0),
    .s_axi_control_awvalid(s_aw_valid_i), .s_axi_control_awready(s_aw_ready_o),
    .s_axi_control_wdata(s_w_data_i), .s_axi_control_wstrb(s_w_strb_i),
    .s_axi_control_wvalid(s_w_valid_i), .s_axi_control_wready(s_w_ready_o),
    .s_axi_control_bresp(s_b_resp_o), .s_axi_control_bvalid(s_b_valid_o),
    .s_axi_control_bready(s_b_ready_i), .s_axi_control_araddr(s_ar_address_i),
    .s_axi_control_arprot(3'd0), .s_axi_control_arvalid(s_ar_valid_i),
    .s_axi_control_arready(s_ar_ready_o), .s_axi_control_rdata(s_r_data_o),
    .s_axi_control_rresp(s_r_resp_o), .s_axi_control_rvalid(s_r_valid_o),
    .s_axi_control_rready(s_r_ready_i),
    .start_number(start_o), .stop_number(stop_o), .launch(launch_o), .result(held)
  );
endmodule
