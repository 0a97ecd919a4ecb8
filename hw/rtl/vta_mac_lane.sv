/// One output of the matrix product: the dot product of an input row and a weight row.
/// Timing: a register behind each product, and one behind the sum of four; the sum of those is
/// combinational on them, and anything without valid_i[2].
module vta_mac_lane (
  input  logic                          clk_i,
  input  logic [2:0]                    valid_i,  // by stage: what enters it
  input  logic [vta_pkg::BlockIn*8-1:0] inp_i,
  input  logic [vta_pkg::BlockIn*8-1:0] wgt_i,
  output logic [31:0]                   sum_o
);
`ifdef VTA_SPLIT_LANES
  /* verilator no_inline_module */
`endif
  localparam int Groups = vta_pkg::BlockIn / 4;

  // A balanced tree: node n adds nodes 2n and 2n + 1, from Groups on they are the groups.
  for (genvar n = 2 * Groups - 1; n >= 1; n--) begin : g_node
    logic signed [31:0] sum;
    if (n >= Groups) begin : g_group
      localparam int First = 4 * (n - Groups);
      logic signed [17:0] part_q;
      logic signed [15:0] product0_q, product1_q, product2_q, product3_q;
      logic signed [15:0] product0, product1, product2, product3;
      if (vta_pkg::Multiplier == vta_pkg::MultiplierLut) begin : g_lut
        vta_multiplier u_multiplier0 (
          .a_i(inp_i[First*8 +: 8]), .b_i(wgt_i[First*8 +: 8]), .product_o(product0)
        );
        vta_multiplier u_multiplier1 (
          .a_i(inp_i[(First+1)*8 +: 8]), .b_i(wgt_i[(First+1)*8 +: 8]), .product_o(product1)
        );
        vta_multiplier u_multiplier2 (
          .a_i(inp_i[(First+2)*8 +: 8]), .b_i(wgt_i[(First+2)*8 +: 8]), .product_o(product2)
        );
        vta_multiplier u_multiplier3 (
          .a_i(inp_i[(First+3)*8 +: 8]), .b_i(wgt_i[(First+3)*8 +: 8]), .product_o(product3)
        );
      end else begin : g_dsp
        assign product0 = $signed(inp_i[First*8 +: 8]) * $signed(wgt_i[First*8 +: 8]);
        assign product1 = $signed(inp_i[(First+1)*8 +: 8]) * $signed(wgt_i[(First+1)*8 +: 8]);
        assign product2 = $signed(inp_i[(First+2)*8 +: 8]) * $signed(wgt_i[(First+2)*8 +: 8]);
        assign product3 = $signed(inp_i[(First+3)*8 +: 8]) * $signed(wgt_i[(First+3)*8 +: 8]);
      end
      always_ff @(posedge clk_i) begin
        if (valid_i[0]) begin
          product0_q <= product0;
          product1_q <= product1;
          product2_q <= product2;
          product3_q <= product3;
        end
        // Wider than it has to be: 32 bits simulate faster.
        if (valid_i[1])
          part_q <= 18'((32'(product0_q) + 32'(product1_q)) + (32'(product2_q) + 32'(product3_q)));
      end
      assign sum = 32'(part_q);
    end else begin : g_sum
      assign sum = g_node[2*n].sum + g_node[2*n+1].sum;
    end
  end
  assign sum_o = valid_i[2] ? g_node[1].sum : 'x;
endmodule
