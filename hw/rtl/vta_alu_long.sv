/// One lane of mul, requant and lut, LongStages registers deep, with the last step behind them.
/// Timing: the result of a_i, b_i is at result_o LongStages cycles later; one a cycle. The requant
/// parameters stand still from the cycle in which something enters until the pipeline is empty.
/// Source: isa/spec/requant.h.
module vta_alu_long (
  input  logic                           clk_i,
  input  logic [vta_pkg::LongStages:0] valid_i,   // by stage: what enters it; what comes out
  input  logic                           requant_i, // or lut; else mul
  input  logic                           double_i,  // rounding
  input  logic [31:0]                    a_i,
  input  logic [31:0]                    b_i,
  input  logic [31:0]                    bias_i,
  input  logic [31:0]                    multiplier_i,
  input  logic [31:0]                    packed_i,
  input  logic                           looks_i,   // into the table, behind LongStages
  input  logic [38:0]                    lut_i,     // a part of the table: written, which one, its bytes
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
  logic [7:0] low_limit_q, high_limit;
  assign exponent = packed_i[7:0];
  assign high_limit = packed_i[31:24];
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      if (double_i && !exponent[7]) right_q <= 6'd30;
      else if (exponent < -8'sd31) right_q <= 6'd61;
      else if (exponent > 8'sd30) right_q <= 6'd0;
      else right_q <= 6'(8'sd30 - exponent);
      if (!double_i || exponent[7]) left_q <= 5'd0;
      else left_q <= exponent > 8'sd30 ? 5'd30 : exponent[4:0];
      below_q <= double_i && exponent[7];
      rounds_q <= !double_i || exponent[7];
      low_limit_q <= $signed(packed_i[23:16]) < $signed(high_limit) ? packed_i[23:16] : high_limit;
    end
  end

  // Stage 1: bias. Stage 2: for double rounding, the left shift.
  logic signed [31:0] biased_q, value_q;
  logic signed [FactorBits-1:0] factor_q, factor2_q;
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      biased_q <= requant_i ? a_i + bias_i : a_i;
      factor_q <= FactorBits'((requant_i ? multiplier_i & MultiplierMask : b_i) >> Unused);
    end
    if (valid_i[1]) begin
      value_q <= requant_i ? biased_q << left_q : biased_q;
      factor2_q <= factor_q;
    end
  end

  // Stages 3 to 5: the product, of halves: those that stand at bit 16 are added before the others.
  logic signed [FactorBits+31:0] product_q;
  logic signed [16:0] value_low;
  logic signed [15:0] value_high;
  assign value_low = {1'b0, value_q[15:0]};
  assign value_high = value_q[31:16];
  if (FactorBits == 32) begin : g_wide
    logic signed [16:0] factor_low;
    logic signed [15:0] factor_high;
    logic signed [31:0] high_q;
    logic signed [32:0] left_half_q, right_half_q;
    logic signed [33:0] low_q, middle_q;
    logic [63:0] outer_q;
    assign factor_low = {1'b0, factor2_q[15:0]};
    assign factor_high = factor2_q[31:16];
    always_ff @(posedge clk_i) begin
      if (valid_i[2]) begin
        low_q <= value_low * factor_low;
        left_half_q <= value_high * factor_low;
        right_half_q <= value_low * factor_high;
        high_q <= value_high * factor_high;
      end
      if (valid_i[3]) begin
        outer_q <= {high_q, low_q[31:0]};
        middle_q <= 34'(left_half_q) + 34'(right_half_q);
      end
      if (valid_i[4]) begin
        product_q[63:16] <= outer_q[63:16] + 48'(middle_q);
        product_q[15:0] <= outer_q[15:0];
      end
    end
    logic unused_low;
    assign unused_low = ^low_q[33:32];
  end else begin : g_narrow
    logic signed [FactorBits+15:0] high_q;
    logic signed [FactorBits+16:0] low_q;
    logic signed [FactorBits+31:0] sum_q;
    always_ff @(posedge clk_i) begin
      if (valid_i[2]) begin
        low_q <= value_low * factor2_q;
        high_q <= value_high * factor2_q;
      end
      if (valid_i[3]) begin
        sum_q[FactorBits+31:16] <= high_q + (FactorBits+16)'($signed(low_q[FactorBits+16:16]));
        sum_q[15:0] <= low_q[15:0];
      end
      if (valid_i[4]) product_q <= sum_q;
    end
  end

  // Stage 6: the first of two roundings: half of 2^31 up or, where the second one rounds away from
  // zero, down.
  logic [63:0] product, rounded_q;
  assign product = 64'(product_q) << Unused;
  always_ff @(posedge clk_i) begin
    if (valid_i[5]) begin
      rounded_q[63:30] <= product[63:30] +
                          (requant_i ? {{33{below_q && product[63]}}, double_i} : 34'd0);
      rounded_q[29:0] <= product[29:0];
    end
  end

  // Stage 7: the right shift. Ten bits tell apart what the limits do not; all else is the least or
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
    if (valid_i[6]) scaled_q <= scale(rounded_q, right_q);
  end

  // Stage 8: the last bit rounds; zero point. Behind it the limits, of which the high one wins; with lut what is
  // beyond them is found beside the sum, and the table stands there.
  function automatic logic [7:0] limit(input logic [10:0] value, input logic [7:0] low,
                                       input logic [7:0] high);
    limit = $signed(value) > 11'($signed(high)) ? high :
            $signed(value) < 11'($signed(low)) ? low : value[7:0];
  endfunction
  logic [10:0] moved_q;
  logic [31:0] low_result;
  logic [7:0] code;
  always_ff @(posedge clk_i) begin
    if (valid_i[7])
      moved_q <= {{2{scaled_q[9]}}, scaled_q[9:1]} + {{3{packed_i[15]}}, packed_i[15:8]} +
                 11'(rounds_q && scaled_q[0]);
  end
  assign result_o = !valid_i[8] ? 'x : !requant_i ? low_result :
                    32'($signed(code));
  if (vta_pkg::Lut != 0) begin : g_lut
    // What it is, above high - zero point; or, up to low - zero point, which gives the same as below it.
    logic signed [9:0] high_rest_q, low_rest_q;
    logic signed [10:0] over, under;  // sums with the inverse: differences less one
    logic over_q, under_q;
    logic [7:0] limited, looked;
    assign over = {{2{scaled_q[9]}}, scaled_q[9:1]} + {~high_rest_q[9], ~high_rest_q} + 11'(rounds_q && scaled_q[0]);
    assign under = {{2{scaled_q[9]}}, scaled_q[9:1]} + {~low_rest_q[9], ~low_rest_q} + 11'(rounds_q && scaled_q[0]);
    always_ff @(posedge clk_i) begin
      if (valid_i[1]) begin
        high_rest_q <= 10'($signed(high_limit)) - 10'($signed(packed_i[15:8]));
        low_rest_q <= 10'($signed(low_limit_q)) - 10'($signed(packed_i[15:8]));
      end
      if (valid_i[7]) begin
        over_q <= !over[10];
        under_q <= under[10];
      end
    end
    assign limited = over_q ? high_limit : under_q ? low_limit_q : moved_q[7:0];
    vta_lut u_lut (
      .clk_i, .write_i(lut_i[38]), .part_i(lut_i[37:32]), .data_i(lut_i[31:0]),
      .read_i(valid_i[8] && looks_i), .code_i(limited), .byte_o(looked)
    );
    assign code = looks_i ? looked : limited;
    logic unused_sums;
    assign unused_sums = (^moved_q[10:8]) ^ (^over[9:0]) ^ (^under[9:0]);
  end else begin : g_no_lut
    logic unused_lut;
    assign unused_lut = looks_i ^ (^lut_i);
    assign code = limit(moved_q, low_limit_q, high_limit);
  end

  // What mul takes of the product, beside stages 7 and 8.
  if (vta_pkg::Mul != 0) begin : g_mul
    logic [31:0] low7_q, low8_q;
    always_ff @(posedge clk_i) begin
      if (valid_i[6]) low7_q <= rounded_q[31:0];
      if (valid_i[7]) low8_q <= low7_q;
    end
    assign low_result = low8_q;
  end else begin : g_no_mul
    assign low_result = '0;
  end
endmodule
