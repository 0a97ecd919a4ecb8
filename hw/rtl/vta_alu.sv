/// One lane of the operations that take one cycle: op(a_i, b_i) is a_i where keep_o, other_o elsewhere;
/// without valid_i it is else_i. The choice is left to a later cycle: keep_o is the sign of a difference.
/// Timing: combinational.
/// Source: isa/spec/alu_ops.h.
module vta_alu (
  input  logic        valid_i,
  input  logic        shift_i,     // the operation is shr;
  input  logic        subtract_i,  // of the others, min or max
  input  logic        least_i,     // of those, min
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] else_i,
  output logic        keep_o,
  output logic [31:0] other_o
);
  // One adder gives the sum, and the difference whose sign is less.
  logic less, unused_half;  // the half makes the carry
  logic [31:0] sum;

  // A shift by b, right where it is positive, rotates right by b mod 32; then the bits that came
  // around are filled.
  logic left, far, fill;
  logic [31:0] by8, by2, rotated, stays;

  always_comb begin
    {left, far, fill, less, unused_half} = 'x;
    {by8, by2, rotated, stays, sum} = 'x;
    keep_o = 1'b0;
    other_o = else_i;
    if (valid_i && shift_i) begin
      left = b_i[31];
      far = left ? b_i[30:5] != '1 || b_i[4:0] == '0 : b_i[30:5] != '0;  // by 32 or more
      fill = !left && a_i[31];
      by8 = b_i[4] ? (b_i[3] ? {a_i[23:0], a_i[31:24]} : {a_i[15:0], a_i[31:16]})
                   : (b_i[3] ? {a_i[7:0], a_i[31:8]} : a_i);
      by2 = b_i[2] ? (b_i[1] ? {by8[5:0], by8[31:6]} : {by8[3:0], by8[31:4]})
                   : (b_i[1] ? {by8[1:0], by8[31:2]} : by8);
      rotated = b_i[0] ? {by2[0], by2[31:1]} : by2;
      stays = (32'hffffffff >> b_i[4:0]) ^ {32{left}};
      other_o = far ? {32{fill}} : (rotated & stays) | ({32{fill}} & ~stays);
    end else if (valid_i) begin
      {less, sum, unused_half} = {a_i[31], a_i, 1'b1} + {{b_i[31], b_i} ^ {33{subtract_i}}, subtract_i};
      keep_o = subtract_i && less == least_i;
      other_o = subtract_i ? b_i : sum;
    end
  end
endmodule
