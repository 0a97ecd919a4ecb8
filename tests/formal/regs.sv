/// vta_regs takes each write once, answers each access once, with SLVERR where there is no such register, and
/// reads what was written last; one of its words, whichever that is, is looked at.
module regs (
  input logic         clk_i, rst_ni,
  input logic         aw_valid_i, w_valid_i, b_ready_i, ar_valid_i, r_ready_i,
  input logic [31:0]  w_data_i,
  input logic [3:0]   w_strb_i,
  input logic [vta_pkg::RegisterAddressBits-1:0] aw_address_i, ar_address_i,
  input logic         busy_i, done_i, ends_i, expired_i,
  input logic [2:0]   outcome_i,
  input logic [63:0]  states_i,
  input logic [127:0] indices_i,
  input logic [63:0]  counter_i
);
  localparam int Bits = vta_pkg::RegisterAddressBits;

  logic aw_ready, w_ready, b_valid, ar_ready, r_valid, start, reset, counter_read, interrupt;
  logic [1:0] b_resp, r_resp;
  logic [31:0] r_data, count, watchdog;
  logic [47:0] first;
  logic [319:0] bases;
  logic [4:0] counter;
  vta_regs u_regs (
    .clk_i, .rst_ni, .s_aw_valid_i(aw_valid_i), .s_aw_ready_o(aw_ready),
    .s_aw_address_i(aw_address_i), .s_w_valid_i(w_valid_i), .s_w_ready_o(w_ready),
    .s_w_data_i(w_data_i), .s_w_strb_i(w_strb_i), .s_b_valid_o(b_valid), .s_b_ready_i(b_ready_i),
    .s_b_resp_o(b_resp), .s_ar_valid_i(ar_valid_i), .s_ar_ready_o(ar_ready),
    .s_ar_address_i(ar_address_i), .s_r_valid_o(r_valid), .s_r_ready_i(r_ready_i),
    .s_r_data_o(r_data), .s_r_resp_o(r_resp), .start_o(start), .reset_o(reset), .first_o(first),
    .count_o(count), .watchdog_o(watchdog), .bases_o(bases), .busy_i, .done_i, .ends_i, .expired_i,
    .outcome_i, .states_i, .indices_i, .counter_read_o(counter_read), .counter_o(counter),
    .counter_i, .interrupt_o(interrupt)
  );

  // Words that the host writes and reads: addresses, count, watchdog, bases. Which one is looked at.
  (* anyconst *) logic [Bits-1:0] which;
  logic writable, readable, begun_q, effect;
  function automatic logic Kept(input logic [Bits-1:0] offset);
    Kept = offset == vta_pkg::RegInstructionAddressLow ||
           offset == vta_pkg::RegInstructionAddressHigh ||
           offset == vta_pkg::RegInstructionCount || offset == vta_pkg::RegWatchdogCycles ||
           (offset >= vta_pkg::RegBase && offset < vta_pkg::RegBase + Bits'(40));
  endfunction

  // Accesses that are taken and not answered: a write's address and data, a read's address.
  logic aw_q, w_q, ar_q, b_held_q, r_held_q;
  logic [Bits-1:0] aw_address_q, ar_address_q;
  logic [31:0] data_q, word_q, old_q, r_data_q;
  logic [3:0] strb_q;
  logic [1:0] b_resp_q, r_resp_q;
  logic [2:0] late_q;
  initial begun_q = 1'b0;
  // A write takes effect with its answer's first cycle.
  assign effect = b_valid && !b_held_q;
  assign writable = Kept(aw_address_q) || aw_address_q == vta_pkg::RegControl ||
                    aw_address_q == vta_pkg::RegInterruptEnable ||
                    aw_address_q == vta_pkg::RegInterruptStatus;
  assign readable = (ar_address_q >= vta_pkg::RegStatus && ar_address_q <= vta_pkg::RegId) ||
                    (ar_address_q >= vta_pkg::RegArchHashLow &&
                     ar_address_q <= vta_pkg::RegWatchdogCycles) || Kept(ar_address_q) ||
                    (ar_address_q >= vta_pkg::RegModule &&
                     ar_address_q < vta_pkg::RegModule + Bits'(64)) ||
                    (ar_address_q >= vta_pkg::RegCounter &&
                     ar_address_q < vta_pkg::RegCounter + Bits'(256));
  logic [31:0] word;  // after the write that takes effect
  for (genvar b = 0; b < 4; b++) begin : g_byte
    assign word[8*b +: 8] = effect && aw_address_q == which && strb_q[b] ? data_q[8*b +: 8] :
                            word_q[8*b +: 8];
  end
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    b_held_q <= rst_ni && b_valid && !b_ready_i;
    r_held_q <= rst_ni && r_valid && !r_ready_i;
    b_resp_q <= b_resp;
    r_resp_q <= r_resp;
    r_data_q <= r_data;
    aw_q <= rst_ni && ((aw_q && !effect) || (aw_valid_i && aw_ready));
    w_q <= rst_ni && ((w_q && !effect) || (w_valid_i && w_ready));
    ar_q <= rst_ni && ((ar_q && !(r_valid && r_ready_i)) || (ar_valid_i && ar_ready));
    late_q <= rst_ni && ((aw_q && w_q && !b_valid) || (ar_q && !r_valid)) ? late_q + 3'd1 : 3'd0;
    if (aw_valid_i && aw_ready) aw_address_q <= {aw_address_i[Bits-1:2], 2'd0};
    if (w_valid_i && w_ready) {data_q, strb_q} <= {w_data_i, w_strb_i};
    if (ar_valid_i && ar_ready) begin
      ar_address_q <= {ar_address_i[Bits-1:2], 2'd0};
      old_q <= word;
    end
    word_q <= rst_ni ? word : 32'd0;
  end

  always_comb begin
    assume (rst_ni == begun_q);
    assume (Kept(which) && which[1:0] == 2'd0);
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // One access of a kind at a time, answered once and soon; an answer stays until it is taken.
      if (!effect) assert (!(aw_ready && aw_q) && !(w_ready && w_q));
      assert (!(ar_ready && ar_q));
      if (effect) assert (aw_q && w_q && b_resp == (writable ? 2'b00 : 2'b10));
      if (b_held_q) assert (b_valid && b_resp == b_resp_q);
      if (r_valid) assert (ar_q && r_resp == (readable ? 2'b00 : 2'b10));
      if (r_held_q) assert (r_valid && r_data == r_data_q && r_resp == r_resp_q);
      assert (late_q < 3'd5);
      // What is written is kept, and read as it was or became while it was read.
      if (r_valid && !r_held_q && ar_address_q == which)
        assert (r_data == old_q || r_data == word_q);
      if (r_valid && !readable) assert (r_data == 32'd0);
      if (which == vta_pkg::RegInstructionAddressLow) assert (first[31:0] == {word[31:4], 4'd0});
      if (which == vta_pkg::RegInstructionAddressHigh) assert (first[47:32] == word[15:0]);
      if (which == vta_pkg::RegInstructionCount) assert (count == word);
      if (which == vta_pkg::RegWatchdogCycles) assert (watchdog == word);
      if (which == vta_pkg::RegBase + Bits'(16)) assert (bases[2*64 +: 32] == word);
      assert (start == (effect && aw_address_q == vta_pkg::RegControl && strb_q[0] && data_q[0]));
      assert (reset == (effect && aw_address_q == vta_pkg::RegControl && strb_q[0] && data_q[1]));
    end
  end
endmodule
