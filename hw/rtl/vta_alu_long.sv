/// One lane of mul and requant, LongStages registers deep.
/// Timing: the result of a_i, b_i is at result_o LongStages cycles later; one a cycle. The requant
/// parameters stand still while anything is in the pipeline.
/// Source: isa/spec/requant.h.
module vta_alu_long (
  input  logic                           clk_i,
  input  logic [vta_pkg::LongStages-1:0] valid_i,   // by stage: what enters it
  input  logic                           requant_i, // or mul
  input  logic                           double_i,  // rounding
  input  logic [31:0]                    a_i,
  input  logic [31:0]                    b_i,
  input  logic [31:0]                    bias_i,
  input  logic [31:0]                    multiplier_i,
  input  logic [31:0]                    packed_i,
  output logic [31:0]                    result_o
);
  localparam logic [31:0] MultiplierMask =
      32'hffffffff << (32 - vta_pkg::RequantMultiplierBits);

  logic signed [7:0] exponent_in;
  logic signed [6:0] exponent;
  logic [5:0] shift, right;
  logic [31:0] biased;
  logic signed [31:0] value_q, factor_q;
  logic signed [63:0] product_q, product2_q, rounded_q, round;
  logic signed [63:0] shifted, scaled_q;
  logic signed [31:0] high, mask, threshold, moved, tail, wide_q, clamped;
  logic signed [31:0] low_limit, high_limit, zero_point;
  logic [31:0] result_q;

  assign exponent_in = packed_i[7:0];
  always_comb begin
    exponent = exponent_in[6:0];
    if (exponent_in < -8'sd31) exponent = -7'sd31;
    else if (exponent_in > 8'sd30) exponent = 7'sd30;
  end
  assign zero_point = 32'($signed(packed_i[15:8]));
  assign low_limit = 32'($signed(packed_i[23:16]));
  assign high_limit = 32'($signed(packed_i[31:24]));

  // Stage 1: bias and, for double rounding, the left shift.
  assign biased = a_i + bias_i;
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      value_q <= !requant_i ? a_i :
                 double_i && exponent > 7'sd0 ? biased << exponent[4:0] : biased;
      factor_q <= requant_i ? multiplier_i & MultiplierMask : b_i;
    end
  end

  // Stages 2 and 3: product.
  always_ff @(posedge clk_i) begin
    if (valid_i[1]) product_q <= 64'(value_q) * 64'(factor_q);
    if (valid_i[2]) product2_q <= product_q;
  end

  // Stages 4 and 5: round and shift.
  assign shift = double_i ? 6'd31 : 6'(8'sd31 - 8'(exponent));
  assign round = requant_i ? 64'sd1 <<< (shift - 6'd1) : 64'sd0;
  assign shifted = rounded_q >>> shift;
  always_ff @(posedge clk_i) begin
    if (valid_i[3]) rounded_q <= product2_q + round;
    if (valid_i[4]) scaled_q <= requant_i ? shifted : rounded_q;
  end

  // Stage 6: the second rounding, and narrowing to what the limits can tell apart.
  assign right = exponent < 7'sd0 ? 6'(-exponent) : 6'd0;
  assign high = scaled_q > 64'sh7fffffff ? 32'sh7fffffff : scaled_q[31:0];
  assign mask = (32'sd1 <<< right[4:0]) - 32'sd1;
  assign threshold = (mask >>> 1) + (high[31] ? 32'sd1 : 32'sd0);
  assign tail = high & mask;
  assign moved = (high >>> right[4:0]) + (tail > threshold ? 32'sd1 : 32'sd0);
  always_comb begin
    clamped = double_i ? (right == 6'd0 ? high : moved) : scaled_q[31:0];
    if (clamped > 32'sd1023) clamped = 32'sd1023;
    if (clamped < -32'sd1024) clamped = -32'sd1024;
    if (!double_i && scaled_q > 64'sd1023) clamped = 32'sd1023;
    if (!double_i && scaled_q < -64'sd1024) clamped = -32'sd1024;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i[5]) wide_q <= requant_i ? clamped + zero_point : scaled_q[31:0];
  end

  // Stage 7: limits; the high one wins.
  always_ff @(posedge clk_i) begin
    if (valid_i[6]) begin
      if (!requant_i) result_q <= wide_q;
      else if ((wide_q > low_limit ? wide_q : low_limit) < high_limit)
        result_q <= wide_q > low_limit ? wide_q : low_limit;
      else result_q <= high_limit;
    end
  end
  assign result_o = result_q;
endmodule
