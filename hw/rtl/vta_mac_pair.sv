/// Two outputs of the matrix product, their weights packed into one factor: a multiplier of 25 by 18
/// bits makes two products with the same input, the low one in the lower half of the result. The low
/// weight goes in as w + 128, so that the factor is a concatenation; and 2^16 makes the lower half
/// positive, so that it borrows nothing from the upper one. The caller gives what that adds up to.
/// Timing: partial sums of two products one cycle after valid_i; their sums are combinational on
/// them, and anything without sum_valid_i.
module vta_mac_pair (
  input  logic                          clk_i,
  input  logic                          valid_i,
  input  logic                          sum_valid_i, // valid_i a cycle ago
  input  logic [vta_pkg::BlockIn*8-1:0] inp_i,
  input  logic [vta_pkg::BlockIn*8-1:0] low_i,    // weights
  input  logic [vta_pkg::BlockIn*8-1:0] high_i,
  input  logic [31:0]                   excess_i, // with the sums: what is too much in low_o
  output logic [31:0]                   low_o,
  output logic [31:0]                   high_o
);
`ifdef VTA_SPLIT_LANES
  /* verilator no_inline_module */
`endif
  // Half holds two products of a signed byte with an unsigned or a signed one.
  localparam int Groups = vta_pkg::BlockIn / 2;
  localparam int Half = 17;
  localparam int Sum = Half + $clog2(Groups) + 1;

  logic [vta_pkg::BlockIn*2*Half-1:0] products;
  logic [Groups*2*Half-1:0] parts_q;
  logic signed [Sum-1:0] low, high;

  for (genvar i = 0; i < vta_pkg::BlockIn; i++) begin : g_product
    logic signed [24:0] weights;
    logic signed [7:0] inp;
    assign weights = {high_i[i*8 +: 8], 9'd0, ~low_i[i*8 + 7], low_i[i*8 +: 7]};
    assign inp = inp_i[i*8 +: 8];
    assign products[i*2*Half +: 2*Half] = (2*Half)'(weights * inp);
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      for (int g = 0; g < Groups; g++)
        parts_q[g*2*Half +: 2*Half] <= products[2*g*2*Half +: 2*Half] + (2*Half)'(1 << (Half - 1)) +
                                       products[(2*g+1)*2*Half +: 2*Half];
    end
  end

  always_comb begin
    low = '0;
    high = '0;
    low_o = 'x;
    high_o = 'x;
    if (sum_valid_i) begin
      for (int g = 0; g < Groups; g++) begin
        low = low + Sum'(parts_q[g*2*Half +: Half]);
        high = high + Sum'($signed(parts_q[g*2*Half + Half +: Half]));
      end
      low_o = 32'(low) - excess_i;
      high_o = 32'(high);
    end
  end
endmodule
