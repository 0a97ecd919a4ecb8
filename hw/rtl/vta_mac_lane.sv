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

  // Wider than they have to be, 16 and 18 bits: 32 simulate faster.
  for (genvar i = 0; i < vta_pkg::BlockIn; i++) begin : g_product
    logic signed [31:0] product, product_q;
    if (vta_pkg::Multiplier == vta_pkg::MultiplierLut) begin : g_lut
      logic signed [15:0] narrow;
      vta_multiplier u_multiplier (
        .a_i(inp_i[i*8 +: 8]), .b_i(wgt_i[i*8 +: 8]), .product_o(narrow)
      );
      assign product = 32'(narrow);
    end else begin : g_dsp
      assign product = 32'($signed(inp_i[i*8 +: 8])) * 32'($signed(wgt_i[i*8 +: 8]));
    end
    always_ff @(posedge clk_i) if (valid_i[0]) product_q <= product;
  end

  // A balanced tree: node n adds nodes 2n and 2n + 1, from Groups on they are sums of four products.
  for (genvar n = 2 * Groups - 1; n >= 1; n--) begin : g_node
    logic signed [31:0] sum;
    if (n >= Groups) begin : g_group
      localparam int First = 4 * (n - Groups);
      logic signed [31:0] part_q;
      always_ff @(posedge clk_i) begin
        if (valid_i[1])
          part_q <= 32'($signed(18'(
              (g_product[First].product_q + g_product[First+1].product_q) +
              (g_product[First+2].product_q + g_product[First+3].product_q))));
      end
      assign sum = part_q;
    end else begin : g_sum
      assign sum = g_node[2*n].sum + g_node[2*n+1].sum;
    end
  end
  assign sum_o = valid_i[2] ? g_node[1].sum : 'x;
endmodule
