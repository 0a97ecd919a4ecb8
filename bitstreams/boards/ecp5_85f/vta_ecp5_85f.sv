/// The accelerator on an ECP5-85F that needs nothing but a clock and a serial line: its memory is on the
/// chip, and a host reaches memory and registers over the UART (8N1).
/// Source: isa/spec/serial.h is the protocol, README.md has the pins.
module vta_ecp5_85f #(
  parameter int ClockHz = 25000000,
  parameter int Baud = 115200,
  parameter int MemoryKib = 256,
  parameter logic [31:0] MemoryBase = 32'h80000000
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic uart_rx_i,
  output logic uart_tx_o,
  output logic session_o,   // a host has identified the board
  output logic interrupt_o
);
  localparam int BusBits = vta_pkg::BusBits;
  localparam int MemoryWords = MemoryKib * 1024 / vta_serial_pkg::MemoryWordBytes;
  localparam int BitSixteenths = ClockHz * 16 / Baud;
  localparam int AtBits = $clog2(vta_serial_pkg::DataBytes);
  localparam int RowBits = $clog2(MemoryWords);
  if (BusBits != 8 * vta_serial_pkg::MemoryWordBytes) $error("uarch.bus_bits has to be 64");
  if (BitSixteenths < 64) $error("a bit has to take 4 clocks at least");

  logic rst_n;
  vta_reset u_reset (.clk_i, .rst_ni, .rst_no(rst_n));

  // From the line to a request, and from an answer to the line.
  logic rx_valid, rx_error, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;
  vta_uart_rx #(.BitSixteenths(BitSixteenths)) u_uart_rx (
    .clk_i, .rst_ni(rst_n), .uart_i(uart_rx_i), .valid_o(rx_valid), .error_o(rx_error), .data_o(rx_data)
  );
  vta_uart_tx #(.BitSixteenths(BitSixteenths)) u_uart_tx (
    .clk_i, .rst_ni(rst_n), .valid_i(tx_valid), .ready_o(tx_ready), .data_i(tx_data), .uart_o(uart_tx_o)
  );
  logic good, taken, answer_valid, answer_ready, answer_last;
  logic [7:0] operation, sequence_number, request_data, answer_data;
  logic [15:0] length, words;
  logic [31:0] address;
  logic [AtBits-1:0] request_at;
  vta_frame_rx u_frame_rx (
    .clk_i, .rst_ni(rst_n), .valid_i(rx_valid), .error_i(rx_error), .data_i(rx_data),
    .good_o(good), .taken_i(taken), .operation_o(operation), .sequence_o(sequence_number),
    .length_o(length), .address_o(address), .words_o(words), .read_at_i(request_at),
    .read_data_o(request_data)
  );
  vta_frame_tx u_frame_tx (
    .clk_i, .rst_ni(rst_n), .valid_i(answer_valid), .ready_o(answer_ready), .data_i(answer_data),
    .last_i(answer_last), .valid_o(tx_valid), .ready_i(tx_ready), .data_o(tx_data)
  );

  logic s_aw_valid, s_aw_ready, s_w_valid, s_w_ready, s_b_valid, s_ar_valid, s_ar_ready, s_r_valid;
  logic [vta_pkg::RegisterAddressBits-1:0] offset;
  logic [31:0] s_w_data, s_r_data;
  logic [1:0] s_b_resp, s_r_resp;
  logic host_write, host_read;
  logic [RowBits-1:0] host_row;
  logic [63:0] host_write_data, host_read_data;
  vta_bridge #(.MemoryWords(MemoryWords), .MemoryBase(MemoryBase), .ClockHz(ClockHz)) u_bridge (
    .clk_i, .rst_ni(rst_n), .session_o,
    .good_i(good), .taken_o(taken), .operation_i(operation), .sequence_i(sequence_number),
    .length_i(length), .address_i(address), .words_i(words), .data_at_o(request_at), .data_i(request_data),
    .valid_o(answer_valid), .ready_i(answer_ready), .data_o(answer_data), .last_o(answer_last),
    .aw_valid_o(s_aw_valid), .aw_ready_i(s_aw_ready), .offset_o(offset), .w_valid_o(s_w_valid),
    .w_ready_i(s_w_ready), .w_data_o(s_w_data), .b_valid_i(s_b_valid), .b_resp_i(s_b_resp),
    .ar_valid_o(s_ar_valid), .ar_ready_i(s_ar_ready), .r_valid_i(s_r_valid), .r_data_i(s_r_data),
    .r_resp_i(s_r_resp),
    .memory_write_o(host_write), .memory_read_o(host_read), .memory_row_o(host_row),
    .memory_data_o(host_write_data), .memory_data_i(host_read_data)
  );

  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid,
        b_ready;
  logic [63:0] ar_address, aw_address;
  logic [7:0] ar_len, aw_len;
  logic [1:0] ar_id, r_id, r_resp, b_resp;
  logic [BusBits-1:0] r_data, w_data;
  logic [BusBits/8-1:0] w_strb;
  vta_chip_memory #(.BusBits(BusBits), .Words(MemoryWords), .Base({32'd0, MemoryBase})) u_memory (
    .clk_i, .rst_ni(rst_n), .host_write_i(host_write), .host_read_i(host_read), .host_row_i(host_row),
    .host_data_i(host_write_data), .host_data_o(host_read_data),
    .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_address_i(ar_address), .ar_len_i(ar_len),
    .ar_id_i(ar_id), .r_valid_o(r_valid), .r_ready_i(r_ready), .r_data_o(r_data), .r_id_o(r_id),
    .r_resp_o(r_resp), .r_last_o(r_last), .aw_valid_i(aw_valid), .aw_ready_o(aw_ready),
    .aw_address_i(aw_address), .w_valid_i(w_valid), .w_ready_o(w_ready), .w_data_i(w_data),
    .w_strobe_i(w_strb[0]), .w_last_i(w_last), .b_valid_o(b_valid), .b_ready_i(b_ready), .b_resp_o(b_resp)
  );

  // What the IP always says, and what a memory of whole words needs not know.
  logic [2:0] aw_size, aw_prot, ar_size, ar_prot;
  logic [1:0] aw_id, aw_burst, ar_burst;
  logic [3:0] aw_cache, aw_qos, ar_cache, ar_qos;
  logic aw_lock, ar_lock, unused_bits;
  assign unused_bits = ^{aw_size, aw_prot, ar_size, ar_prot, aw_id, aw_burst, ar_burst, aw_cache, aw_qos,
                         ar_cache, ar_qos, aw_lock, ar_lock, aw_len, w_strb};
  vta_ip #(.C_M_AXI_GMEM_DATA_WIDTH(BusBits)) u_ip (
    .ap_clk(clk_i), .ap_rst_n(rst_ni), .interrupt(interrupt_o),
    .s_axi_control_awaddr(offset), .s_axi_control_awprot(3'd0),
    .s_axi_control_awvalid(s_aw_valid), .s_axi_control_awready(s_aw_ready),
    .s_axi_control_wdata(s_w_data), .s_axi_control_wstrb(4'hf),
    .s_axi_control_wvalid(s_w_valid), .s_axi_control_wready(s_w_ready),
    .s_axi_control_bresp(s_b_resp), .s_axi_control_bvalid(s_b_valid), .s_axi_control_bready(1'b1),
    .s_axi_control_araddr(offset), .s_axi_control_arprot(3'd0),
    .s_axi_control_arvalid(s_ar_valid), .s_axi_control_arready(s_ar_ready),
    .s_axi_control_rdata(s_r_data), .s_axi_control_rresp(s_r_resp),
    .s_axi_control_rvalid(s_r_valid), .s_axi_control_rready(1'b1),
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

`ifndef SYNTHESIS
  // What this board's memory and bridge promise to the IP's buses, and it to them.
  vta_axi_check #(
    .BusBits(BusBits), .MaxBeats(vta_pkg::MaxBurstBeats), .ReadBursts(vta_pkg::OutstandingReads),
    .WriteBursts(vta_pkg::OutstandingWrites)
  ) u_axi_check (
    .clk_i, .rst_ni(rst_n),
    .ar_valid_i(ar_valid), .ar_ready_i(ar_ready), .ar_address_i(ar_address), .ar_len_i(ar_len),
    .ar_size_i(ar_size), .ar_burst_i(ar_burst), .ar_lock_i(ar_lock), .ar_cache_i(ar_cache),
    .ar_prot_i(ar_prot), .ar_qos_i(ar_qos), .ar_id_i(ar_id),
    .r_valid_i(r_valid), .r_ready_i(r_ready), .r_data_i(r_data), .r_id_i(r_id), .r_resp_i(r_resp),
    .r_last_i(r_last),
    .aw_valid_i(aw_valid), .aw_ready_i(aw_ready), .aw_address_i(aw_address), .aw_len_i(aw_len),
    .aw_size_i(aw_size), .aw_burst_i(aw_burst), .aw_lock_i(aw_lock), .aw_cache_i(aw_cache),
    .aw_prot_i(aw_prot), .aw_qos_i(aw_qos), .aw_id_i(aw_id),
    .w_valid_i(w_valid), .w_ready_i(w_ready), .w_data_i(w_data), .w_strb_i(w_strb), .w_last_i(w_last),
    .b_valid_i(b_valid), .b_ready_i(b_ready), .b_id_i(2'd0), .b_resp_i(b_resp)
  );
  vta_axi_lite_check #(.AddressBits(vta_pkg::RegisterAddressBits)) u_axi_lite_check (
    .clk_i, .rst_ni(rst_n),
    .aw_valid_i(s_aw_valid), .aw_ready_i(s_aw_ready), .aw_address_i(offset), .aw_prot_i(3'd0),
    .w_valid_i(s_w_valid), .w_ready_i(s_w_ready), .w_data_i(s_w_data), .w_strb_i(4'hf),
    .b_valid_i(s_b_valid), .b_ready_i(1'b1), .b_resp_i(s_b_resp),
    .ar_valid_i(s_ar_valid), .ar_ready_i(s_ar_ready), .ar_address_i(offset), .ar_prot_i(3'd0),
    .r_valid_i(s_r_valid), .r_ready_i(1'b1), .r_data_i(s_r_data), .r_resp_i(s_r_resp)
  );
`endif
endmodule
