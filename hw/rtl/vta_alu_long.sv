/// One lane of mul and requant, LongStages registers deep.
/// Timing: the result of a_i, b_i is at result_o LongStages cycles later; one a cycle. The requant
/// parameters stand still from the cycle before something enters until the pipeline is empty.
/// Source: isa/spec/requant.h.
module vta_alu_long (
  input  logic                           clk_i,
  input  logic                           prepare_i, // something enters in the next cycle
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
  // The bits of the factor that count: without mul, the leading ones of the multiplier.
  localparam int FactorBits = vta_pkg::Mul != 0 ? 32 : vta_pkg::RequantMultiplierBits;
  localparam int Unused = 32 - FactorBits;
  localparam logic [31:0] MultiplierMask =
      32'hffffffff << (32 - vta_pkg::RequantMultiplierBits);

  // The shift of the product, less the bit that rounds; and a shift of the value before it.
  logic signed [7:0] exponent;
  logic [5:0] right_q;
  logic [4:0] left_q;
  logic below_q;  // double rounding, and a negative exponent: a second rounding
  logic rounds_q; // the last bit rounds
  assign exponent = packed_i[7:0];
  always_ff @(posedge clk_i) begin
    if (prepare_i) begin
      if (double_i && !exponent[7]) right_q <= 6'd30;
      else if (exponent < -8'sd31) right_q <= 6'd61;
      else if (exponent > 8'sd30) right_q <= 6'd0;
      else right_q <= 6'(8'sd30 - exponent);
      if (!double_i || exponent[7]) left_q <= 5'd0;
      else left_q <= exponent > 8'sd30 ? 5'd30 : exponent[4:0];
      below_q <= double_i && exponent[7];
      rounds_q <= !double_i || exponent[7];
    end
  end

  // Stage 1: bias and, for double rounding, the left shift.
  logic signed [31:0] value_q;
  logic signed [FactorBits-1:0] factor_q;
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      value_q <= requant_i ? (a_i + bias_i) << left_q : a_i;
      factor_q <= FactorBits'((requant_i ? multiplier_i & MultiplierMask : b_i) >> Unused);
    end
  end

  // Stages 2 and 3: product.
  logic signed [FactorBits+31:0] product_q, product2_q;
  always_ff @(posedge clk_i) begin
    if (valid_i[1]) product_q <= (FactorBits+32)'(value_q) * (FactorBits+32)'(factor_q);
    if (valid_i[2]) product2_q <= product_q;
  end

  // Stage 4: the first of two roundings: half of 2^31 up or, where the second one rounds away from
  // zero, down.
  logic [63:0] product, rounded_q;
  assign product = 64'(product2_q) << Unused;
  always_ff @(posedge clk_i) begin
    if (valid_i[3]) begin
      rounded_q[63:30] <= product[63:30] +
                          (requant_i ? {{33{below_q && product[63]}}, double_i} : 34'd0);
      rounded_q[29:0] <= product[29:0];
    end
  end

  // Stage 5: the right shift. Ten bits tell apart what the limits do not; all else is the least or
  // greatest of them. Each step keeps the bits that later ones may need.
  function automatic logic [9:0] scale(input logic [63:0] value, input logic [5:0] right);
    logic sign, far16, far4, far1;
    logic [24:0] by16;
    logic [12:0] by4;
    logic [9:0] by1;
    logic [63:24] other;  // bits that a step drops and that are no copies of the sign
    begin
      sign = value[63];
      case (right[5:4])
        2'd0: by16 = value[24:0];
        2'd1: by16 = value[40:16];
        2'd2: by16 = value[56:32];
        default: by16 = {{9{sign}}, value[63:48]};
      endcase
      case (right[3:2])
        2'd0: by4 = by16[12:0];
        2'd1: by4 = by16[16:4];
        2'd2: by4 = by16[20:8];
        default: by4 = by16[24:12];
      endcase
      case (right[1:0])
        2'd0: by1 = by4[9:0];
        2'd1: by1 = by4[10:1];
        2'd2: by1 = by4[11:2];
        default: by1 = by4[12:3];
      endcase
      other = value[63:24] ^ {40{sign}};
      far16 = (right[5:4] == 2'd0 && other[39:24] != '0) ||
              (right[5] == 1'b0 && other[55:40] != '0) ||
              (right[5:4] != 2'd3 && other[63:56] != '0);
      far4 = (right[3:2] == 2'd0 && by16[15:12] != {4{sign}}) ||
             (right[3] == 1'b0 && by16[19:16] != {4{sign}}) ||
             (right[3:2] != 2'd3 && by16[23:20] != {4{sign}}) || by16[24] != sign;
      far1 = (right[1:0] == 2'd0 && by4[9] != sign) ||
             (right[1] == 1'b0 && by4[10] != sign) ||
             (right[1:0] != 2'd3 && by4[11] != sign) || by4[12] != sign;
      scale = far16 || far4 || far1 ? {sign, {9{!sign}}} : by1;
    end
  endfunction
  logic [9:0] scaled_q;
  always_ff @(posedge clk_i) begin
    if (valid_i[4]) scaled_q <= scale(rounded_q, right_q);
  end

  // Stage 6: the last bit rounds; zero point; limits, of which the high one wins.
  function automatic logic [7:0] limit(input logic [10:0] value, input logic [7:0] low,
                                       input logic [7:0] high);
    limit = $signed(value) > 11'($signed(high)) ? high :
            $signed(value) < 11'($signed(low)) ? low : value[7:0];
  endfunction
  logic [7:0] low_limit_q, high_limit;
  logic [31:0] result_q, low_result;
  assign high_limit = packed_i[31:24];
  always_ff @(posedge clk_i) begin
    if (prepare_i)
      low_limit_q <= $signed(packed_i[23:16]) < $signed(high_limit) ? packed_i[23:16] : high_limit;
    if (valid_i[5])
      result_q <= !requant_i ? low_result :
                  32'($signed(limit({{2{scaled_q[9]}}, scaled_q[9:1]} +
                                    {{3{packed_i[15]}}, packed_i[15:8]} +
                                    11'(rounds_q && scaled_q[0]), low_limit_q, high_limit)));
  end
  assign result_o = result_q;

  // What mul takes of the product, beside stages 4 and 5.
  if (vta_pkg::Mul != 0) begin : g_mul
    logic [31:0] low5_q;
    always_ff @(posedge clk_i) begin
      if (valid_i[4]) low5_q <= rounded_q[31:0];
    end
    assign low_result = low5_q;
  end else begin : g_no_mul
    assign low_result = '0;
  end
endmodule
