/// Two outputs of the matrix product, their weights packed into one factor: a multiplier of 25 by 18
/// bits makes two products with the same input, the low one in the lower half of the result. The low
/// weight goes in as w + 128, so that the factor is a concatenation; and 2^16 makes the lower half
/// positive, so that it borrows nothing from the upper one. The caller gives what that adds up to.
/// Timing: a register behind each product, and one behind the sum of two; the sums of those are
/// combinational on them, and anything without valid_i[2].
module vta_mac_pair (
  input  logic                          clk_i,
  input  logic [2:0]                    valid_i,  // by stage: what enters it
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

  // A balanced tree: node n adds nodes 2n and 2n + 1, from Groups on they are pairs of products.
  for (genvar n = 2 * Groups - 1; n >= 1; n--) begin : g_node
    logic signed [Sum-1:0] low, high;
    if (n >= Groups) begin : g_pair
      localparam int First = 2 * (n - Groups);
      logic signed [24:0] weights0, weights1;
      logic signed [7:0] inp0, inp1;
      logic signed [2*Half-1:0] product0_q, product1_q, part_q;
      assign weights0 = {high_i[First*8 +: 8], 9'd0, ~low_i[First*8 + 7], low_i[First*8 +: 7]};
      assign weights1 = {high_i[(First+1)*8 +: 8], 9'd0, ~low_i[(First+1)*8 + 7],
                         low_i[(First+1)*8 +: 7]};
      assign inp0 = inp_i[First*8 +: 8];
      assign inp1 = inp_i[(First+1)*8 +: 8];
      always_ff @(posedge clk_i) begin
        if (valid_i[0]) begin
          product0_q <= (2*Half)'(weights0 * inp0);
          product1_q <= (2*Half)'(weights1 * inp1);
        end
        if (valid_i[1]) part_q <= product0_q + (2*Half)'(1 << (Half - 1)) + product1_q;
      end
      assign low = Sum'(part_q[0 +: Half]);
      assign high = Sum'($signed(part_q[Half +: Half]));
    end else begin : g_sum
      assign low = g_node[2*n].low + g_node[2*n+1].low;
      assign high = g_node[2*n].high + g_node[2*n+1].high;
    end
  end
  assign low_o = valid_i[2] ? 32'(g_node[1].low) - excess_i : 'x;
  assign high_o = valid_i[2] ? 32'(g_node[1].high) : 'x;
endmodule
