/// What AXI4-Lite asks of both ends of a port, and how soon this subordinate takes and answers. Each
/// assertion is labelled with the end that has to keep it. It has no outputs, as vta_axi_check.
/// Source: ARM IHI 0022, as vta_axi_check.
module vta_axi_lite_check #(
  parameter int AddressBits = 12,
  parameter int PatienceCycles = 8  // until what can be taken or answered is
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   aw_valid_i,
  input logic                   aw_ready_i,
  input logic [AddressBits-1:0] aw_address_i,
  input logic [2:0]             aw_prot_i,
  input logic                   w_valid_i,
  input logic                   w_ready_i,
  input logic [31:0]            w_data_i,
  input logic [3:0]             w_strb_i,
  input logic                   b_valid_i,
  input logic                   b_ready_i,
  input logic [1:0]             b_resp_i,
  input logic                   ar_valid_i,
  input logic                   ar_ready_i,
  input logic [AddressBits-1:0] ar_address_i,
  input logic [2:0]             ar_prot_i,
  input logic                   r_valid_i,
  input logic                   r_ready_i,
  input logic [31:0]            r_data_i,
  input logic [1:0]             r_resp_i
);
  localparam logic [1:0] EXOKAY = 2'b01;

  logic reset_q = 1'b0;
  always_ff @(posedge clk_i) reset_q <= !rst_ni;

  // What was taken and is owed an answer.
  logic [3:0] addresses_q, words_q, reads_q;
  logic [7:0] write_late_q, read_late_q;
  logic aw_held_q, w_held_q, b_held_q, ar_held_q, r_held_q;
  logic aw_taken, w_taken, b_taken, ar_taken, r_taken, busy_q;
  logic [AddressBits+2:0] aw_request_q, ar_request_q;
  logic [35:0] w_word_q;
  logic [1:0] b_resp_q;
  logic [33:0] r_answer_q;

  assign aw_taken = aw_valid_i && aw_ready_i;
  assign w_taken = w_valid_i && w_ready_i;
  assign b_taken = b_valid_i && b_ready_i;
  assign ar_taken = ar_valid_i && ar_ready_i;
  assign r_taken = r_valid_i && r_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {addresses_q, words_q, reads_q, write_late_q, read_late_q} <= '0;
      {aw_held_q, w_held_q, b_held_q, ar_held_q, r_held_q} <= '0;
      busy_q <= 1'b1;
    end else if (busy_q || aw_valid_i || w_valid_i || b_valid_i || ar_valid_i || r_valid_i) begin
      // Something moves, waits or is owed; a port that sleeps costs nothing.
      busy_q <= aw_valid_i || w_valid_i || b_valid_i || ar_valid_i || r_valid_i ||
                addresses_q != '0 || words_q != '0 || reads_q != '0;
      aw_held_q <= aw_valid_i && !aw_ready_i;
      w_held_q <= w_valid_i && !w_ready_i;
      b_held_q <= b_valid_i && !b_ready_i;
      ar_held_q <= ar_valid_i && !ar_ready_i;
      r_held_q <= r_valid_i && !r_ready_i;
      aw_request_q <= {aw_address_i, aw_prot_i};
      w_word_q <= {w_data_i, w_strb_i};
      b_resp_q <= b_resp_i;
      ar_request_q <= {ar_address_i, ar_prot_i};
      r_answer_q <= {r_data_i, r_resp_i};
      if (reset_q) begin
        // Reset.
        manager_reset: assert (!aw_valid_i && !w_valid_i && !ar_valid_i);
        subordinate_reset: assert (!b_valid_i && !r_valid_i);
      end
      // Handshake process: VALID stays until READY, and so does what it says.
      if (aw_held_q) begin
        manager_aw_stays: assert (aw_valid_i && {aw_address_i, aw_prot_i} == aw_request_q);
      end
      if (w_held_q) begin
        manager_w_stays: assert (w_valid_i && {w_data_i, w_strb_i} == w_word_q);
      end
      if (ar_held_q) begin
        manager_ar_stays: assert (ar_valid_i && {ar_address_i, ar_prot_i} == ar_request_q);
      end
      if (b_held_q) begin
        subordinate_b_stays: assert (b_valid_i && b_resp_i == b_resp_q);
      end
      if (r_held_q) begin
        subordinate_r_stays: assert (r_valid_i && {r_data_i, r_resp_i} == r_answer_q);
      end
      // Dependencies between channels: an answer to what was taken before, and to nothing else.
      // AXI4-Lite: EXOKAY is not supported.
      if (b_valid_i) begin
        subordinate_b_asked: assert (addresses_q != '0 && words_q != '0);
        subordinate_b_response: assert (b_resp_i != EXOKAY);
      end
      if (r_valid_i) begin
        subordinate_r_asked: assert (reads_q != '0);
        subordinate_r_response: assert (r_resp_i != EXOKAY);
      end
      // A write of which both parts came, or a read, is taken and answered while the manager takes
      // answers.
      subordinate_b_comes: assert (32'(write_late_q) < PatienceCycles);
      subordinate_r_comes: assert (32'(read_late_q) < PatienceCycles);
      write_late_q <= (addresses_q != '0 || aw_valid_i) && (words_q != '0 || w_valid_i) &&
                      !b_valid_i ? write_late_q + 8'd1 : 8'd0;
      read_late_q <= (reads_q != '0 || ar_valid_i) && !r_valid_i ? read_late_q + 8'd1 : 8'd0;
      addresses_q <= addresses_q + 4'(aw_taken) - 4'(b_taken);
      words_q <= words_q + 4'(w_taken) - 4'(b_taken);
      reads_q <= reads_q + 4'(ar_taken) - 4'(r_taken);
    end
  end
endmodule
