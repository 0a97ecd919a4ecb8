/// The accelerator with what tests it on an FPGA: memory behind its AXI port that holds a program and
/// its data, the memory as it must be afterwards, and a host that starts the program, compares, and
/// says what came of it on two LEDs and, over and over, on a UART (8N1):
///   pass 00000000   every word is as it must be
///   fail ADDRESS    the first word that is not
///   stop STATUS     the program did not finish; ffffffff: it did not end
/// Source: vta_selftest_pkg, image.hex and expected.hex are made by `vta hw selftest`.
module vta_selftest (
  input  logic clk_i,
  input  logic rst_ni,
  output logic pass_o,
  output logic fail_o,
  output logic uart_o
);
  localparam int AddressBits = 64;
  localparam int BusBits = vta_pkg::BusBits;
  localparam int RowBits = $clog2(vta_selftest_pkg::Words);
  localparam int ByteBits = $clog2(BusBits / 8);
  localparam int Steps = 4;
  localparam int TimerBits = 20;
  typedef enum logic [2:0] {Write, Ask, Answer, Read, Compare, Say} state_e;

  logic rst_n;
  vta_reset u_reset (.clk_i, .rst_ni, .rst_no(rst_n));

  // Host.
  state_e state_q;
  logic [1:0] step_q;
  logic [RowBits-1:0] row_q;
  logic [TimerBits-1:0] timer_q;
  logic pass_q, fail_q;
  logic [31:0] value_q, word;
  logic [vta_pkg::RegisterAddressBits-1:0] register;
  always_comb begin
    unique case (step_q)
      2'd0: {register, word} = {vta_pkg::RegInstructionAddressLow, 32'(vta_selftest_pkg::First)};
      2'd1: {register, word} = {vta_pkg::RegInstructionCount, 32'(vta_selftest_pkg::Count)};
      2'd2: {register, word} = {vta_pkg::RegWatchdogCycles, 32'(1 << (TimerBits - 1))};
      default: {register, word} = {vta_pkg::RegControl, 32'd1};
    endcase
  end

  logic s_write_ready, s_w_ready, s_b_valid, s_ar_ready, s_r_valid, interrupt;
  logic [31:0] s_r_data;
  logic [BusBits-1:0] image_q, expected_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      state_q <= Write;
      step_q <= '0;
      row_q <= '0;
      timer_q <= '0;
      pass_q <= 1'b0;
      fail_q <= 1'b0;
      value_q <= '0;
    end else begin
      timer_q <= timer_q + 1'b1;
      unique case (state_q)
        Write: if (s_write_ready && s_w_ready) begin
          step_q <= step_q + 1'b1;
          if (step_q == 2'(Steps - 1)) state_q <= Ask;
        end
        Ask: if (s_ar_ready) state_q <= Answer;
        Answer: if (s_r_valid) begin
          if (s_r_data[1]) begin  // done
            state_q <= s_r_data[6:4] == '0 ? Read : Say;
            fail_q <= s_r_data[6:4] != '0;
            value_q <= s_r_data;
          end else if (&timer_q[TimerBits-1:4]) begin
            state_q <= Say;
            fail_q <= 1'b1;
            value_q <= '1;
          end else begin
            state_q <= Ask;
          end
        end
        Read: state_q <= Compare;
        Compare: begin
          row_q <= row_q + 1'b1;
          state_q <= Read;
          value_q <= 32'd0;
          if (image_q != expected_q) begin
            fail_q <= 1'b1;
            value_q <= 32'(row_q) << ByteBits;
            state_q <= Say;
          end else if (row_q == RowBits'(vta_selftest_pkg::Words - 1)) begin
            pass_q <= 1'b1;
            state_q <= Say;
          end
        end
        default: ;
      endcase
    end
  end
  assign pass_o = pass_q;
  assign fail_o = fail_q;

  // Which failure: a launch that did not finish is not compared.
  logic compared_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) compared_q <= 1'b0;
    else if (state_q == Compare) compared_q <= 1'b1;
  end

  vta_uart u_uart (
    .clk_i, .rst_ni(rst_n), .send_i(state_q == Say),
    .word_i(pass_q ? "pass" : compared_q ? "fail" : "stop"), .value_i(value_q), .uart_o
  );

  // Memory: one read burst and one write burst at a time.
  logic [BusBits-1:0] image [0:vta_selftest_pkg::Words-1];
  logic [BusBits-1:0] expected [0:vta_selftest_pkg::Words-1];
  initial $readmemh("image.hex", image);
  initial $readmemh("expected.hex", expected);

  logic ar_valid, ar_ready, r_valid_q, r_ready, aw_valid, aw_ready, w_valid, w_ready, w_last,
        b_valid_q, b_ready;
  logic [AddressBits-1:0] ar_address, aw_address;
  logic [7:0] ar_len, aw_len;
  logic [1:0] ar_id, r_id_q;
  logic [BusBits-1:0] w_data;
  logic [BusBits/8-1:0] w_strb;
  logic reading_q, fetch, writing_q, write, r_bad_q, w_bad_q;
  logic [7:0] r_left_q;
  logic [RowBits-1:0] r_row_q, w_row_q, read_row;

  assign ar_ready = !reading_q;
  assign fetch = reading_q && !r_valid_q;
  assign aw_ready = !writing_q && !b_valid_q;
  assign w_ready = writing_q;
  assign write = w_valid && w_ready && w_strb[0];
  assign read_row = state_q == Read ? row_q : r_row_q;
  always_ff @(posedge clk_i) begin
    if (fetch || state_q == Read) image_q <= image[read_row];
    if (state_q == Read) expected_q <= expected[row_q];
    if (write) image[w_row_q] <= w_data;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      reading_q <= 1'b0;
      r_valid_q <= 1'b0;
      writing_q <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      if (ar_valid && ar_ready) begin
        reading_q <= 1'b1;
        r_row_q <= ar_address[ByteBits +: RowBits];
        r_bad_q <= ar_address[AddressBits-1:ByteBits+RowBits] != '0;
        r_left_q <= ar_len;
        r_id_q <= ar_id;
      end
      if (fetch) r_valid_q <= 1'b1;
      if (r_valid_q && r_ready) begin
        r_valid_q <= 1'b0;
        r_row_q <= r_row_q + 1'b1;
        r_left_q <= r_left_q - 1'b1;
        reading_q <= r_left_q != '0;
      end
      if (aw_valid && aw_ready) begin
        writing_q <= 1'b1;
        w_row_q <= aw_address[ByteBits +: RowBits];
        w_bad_q <= aw_address[AddressBits-1:ByteBits+RowBits] != '0;
      end
      if (w_valid && w_ready) begin
        w_row_q <= w_row_q + 1'b1;
        writing_q <= !w_last;
        b_valid_q <= w_last;
      end
      if (b_valid_q && b_ready) b_valid_q <= 1'b0;
    end
  end

  // What the IP always says, and what a memory of whole words needs not know.
  logic [2:0] aw_size, aw_prot, ar_size, ar_prot;
  logic [1:0] aw_id, aw_burst, ar_burst, s_b_resp, s_r_resp;
  logic [3:0] aw_cache, aw_qos, ar_cache, ar_qos;
  logic aw_lock, ar_lock, unused_bits;
  assign unused_bits = ^{aw_size, aw_prot, ar_size, ar_prot, aw_id, aw_burst, ar_burst, aw_cache,
                         aw_qos, ar_cache, ar_qos, aw_lock, ar_lock, s_b_resp, s_r_resp, s_b_valid,
                         interrupt, aw_len, ar_address[ByteBits-1:0], aw_address[ByteBits-1:0],
                         w_strb};

  vta_ip #(.C_M_AXI_GMEM_DATA_WIDTH(BusBits)) u_ip (
    .ap_clk(clk_i), .ap_rst_n(rst_ni), .interrupt(interrupt),
    .s_axi_control_awaddr(register), .s_axi_control_awprot(3'd0),
    .s_axi_control_awvalid(state_q == Write), .s_axi_control_awready(s_write_ready),
    .s_axi_control_wdata(word), .s_axi_control_wstrb(4'hf),
    .s_axi_control_wvalid(state_q == Write), .s_axi_control_wready(s_w_ready),
    .s_axi_control_bresp(s_b_resp), .s_axi_control_bvalid(s_b_valid),
    .s_axi_control_bready(1'b1),
    .s_axi_control_araddr(vta_pkg::RegStatus), .s_axi_control_arprot(3'd0),
    .s_axi_control_arvalid(state_q == Ask), .s_axi_control_arready(s_ar_ready),
    .s_axi_control_rdata(s_r_data), .s_axi_control_rresp(s_r_resp),
    .s_axi_control_rvalid(s_r_valid), .s_axi_control_rready(1'b1),
    .m_axi_gmem_awid(aw_id), .m_axi_gmem_awaddr(aw_address), .m_axi_gmem_awlen(aw_len),
    .m_axi_gmem_awsize(aw_size), .m_axi_gmem_awburst(aw_burst), .m_axi_gmem_awlock(aw_lock),
    .m_axi_gmem_awcache(aw_cache), .m_axi_gmem_awprot(aw_prot), .m_axi_gmem_awqos(aw_qos),
    .m_axi_gmem_awvalid(aw_valid), .m_axi_gmem_awready(aw_ready),
    .m_axi_gmem_wdata(w_data), .m_axi_gmem_wstrb(w_strb), .m_axi_gmem_wlast(w_last),
    .m_axi_gmem_wvalid(w_valid), .m_axi_gmem_wready(w_ready),
    .m_axi_gmem_bid(2'd0), .m_axi_gmem_bresp({2{w_bad_q}}), .m_axi_gmem_bvalid(b_valid_q),
    .m_axi_gmem_bready(b_ready),
    .m_axi_gmem_arid(ar_id), .m_axi_gmem_araddr(ar_address), .m_axi_gmem_arlen(ar_len),
    .m_axi_gmem_arsize(ar_size), .m_axi_gmem_arburst(ar_burst), .m_axi_gmem_arlock(ar_lock),
    .m_axi_gmem_arcache(ar_cache), .m_axi_gmem_arprot(ar_prot), .m_axi_gmem_arqos(ar_qos),
    .m_axi_gmem_arvalid(ar_valid), .m_axi_gmem_arready(ar_ready),
    .m_axi_gmem_rid(r_id_q), .m_axi_gmem_rdata(image_q), .m_axi_gmem_rresp({2{r_bad_q}}),
    .m_axi_gmem_rlast(r_left_q == '0), .m_axi_gmem_rvalid(r_valid_q), .m_axi_gmem_rready(r_ready)
  );
endmodule
