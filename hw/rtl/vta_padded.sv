/// One dimension of a padded tile: pads, size_i elements, pads, and again from the start.
/// Timing: at the first place in the cycle after start_i; at the next one in the cycle after step_i.
module vta_padded (
  input  logic        clk_i,
  input  logic        start_i,
  input  logic [3:0]  before_i,  // pads
  input  logic [15:0] size_i,    // not 0
  input  logic [3:0]  after_i,   // pads
  input  logic        step_i,
  output logic        inside_o,  // no pad
  output logic        last_o
);
  // Places of a part less one, and what is left of the part that it is in.
  logic [15:0] left_q, size_q;
  logic [3:0] before_q, after_q;
  logic has_before_q, has_after_q, inside_q, tail_q, ends_q;  // tail: behind the elements
  logic [15:0] next_left;
  logic next_inside, next_tail;

  assign inside_o = inside_q;
  assign last_o = ends_q && (tail_q || (inside_q && !has_after_q));

  always_comb begin
    next_inside = inside_q;
    next_tail = tail_q;
    next_left = left_q - 16'd1;
    if (ends_q) begin
      if (inside_q && has_after_q) begin
        next_inside = 1'b0;
        next_tail = 1'b1;
        next_left = 16'(after_q);
      end else if ((inside_q || tail_q) && has_before_q) begin
        next_inside = 1'b0;
        next_tail = 1'b0;
        next_left = 16'(before_q);
      end else begin
        next_inside = 1'b1;
        next_tail = 1'b0;
        next_left = size_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      before_q <= before_i - 4'd1;
      size_q <= size_i - 16'd1;
      after_q <= after_i - 4'd1;
      has_before_q <= before_i != '0;
      has_after_q <= after_i != '0;
      inside_q <= before_i == '0;
      tail_q <= 1'b0;
      left_q <= (before_i == '0 ? size_i : 16'(before_i)) - 16'd1;
      ends_q <= before_i == '0 ? size_i == 16'd1 : before_i == 4'd1;
    end else if (step_i) begin
      inside_q <= next_inside;
      tail_q <= next_tail;
      left_q <= next_left;
      ends_q <= next_left == '0;
    end
  end
endmodule
