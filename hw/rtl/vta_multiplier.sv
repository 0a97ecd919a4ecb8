/// Signed product of two bytes in LUTs: four additions of a multiple of a_i, from -2 to 2 (Booth).
/// Timing: combinational.
module vta_multiplier (
  input  logic [7:0]  a_i,
  input  logic [7:0]  b_i,
  output logic [15:0] product_o
);
  logic below, one, two, negative, unused_half;
  logic [8:0] multiple;
  logic [9:0] sum;   // what is done of the product, from bit 2i up
  logic [5:0] low;   // and below

  // Digit i of b_i: b[2i-1] + b[2i] - 2 b[2i+1]. A negative one adds the inverse and a carry.
  always_comb begin
    sum = '0;
    low = '0;
    below = 1'b0;
    for (int i = 0; i < 4; i++) begin
      negative = b_i[2*i+1];
      one = b_i[2*i] != below;
      two = !one && b_i[2*i] != negative;
      multiple = two ? {a_i, 1'b0} : one ? {a_i[7], a_i} : 9'd0;
      {sum, unused_half} = {{2{sum[9]}}, sum[9:2], 1'b1} +
                           {{multiple[8], multiple} ^ {10{negative}}, negative};
      below = negative;
      if (i < 3) low[2*i +: 2] = sum[1:0];
    end
  end
  assign product_o = {sum, low};
endmodule
