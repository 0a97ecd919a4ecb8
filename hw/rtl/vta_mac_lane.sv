/// One output of the matrix product: the dot product of an input row and a weight row.
/// Timing: partial sums of four products one cycle after valid_i; their sum is combinational on them,
/// and anything without sum_valid_i.
module vta_mac_lane (
  input  logic                         clk_i,
  input  logic                         valid_i,
  input  logic                         sum_valid_i,  // valid_i a cycle ago
  input  logic [vta_pkg::BlockIn*8-1:0] inp_i,
  input  logic [vta_pkg::BlockIn*8-1:0] wgt_i,
  output logic [31:0]                  sum_o
);
`ifdef VTA_SPLIT_LANES
  /* verilator no_inline_module */
`endif
  localparam int Groups = vta_pkg::BlockIn / 4;

  for (genvar g = 0; g < Groups; g++) begin : g_group
    logic signed [17:0] part_q;
    logic signed [31:0] sum;  // of the groups up to this one
    if (vta_pkg::Multiplier == vta_pkg::MultiplierLut) begin : g_lut
      logic [63:0] products;
      for (genvar i = 0; i < 4; i++) begin : g_product
        vta_multiplier u_multiplier (
          .a_i(inp_i[(4*g+i)*8 +: 8]), .b_i(wgt_i[(4*g+i)*8 +: 8]),
          .product_o(products[i*16 +: 16])
        );
      end
      always_ff @(posedge clk_i) begin
        if (valid_i) begin
          part_q <= 18'($signed(products[0 +: 16])) + 18'($signed(products[16 +: 16])) +
                    18'($signed(products[32 +: 16])) + 18'($signed(products[48 +: 16]));
        end
      end
    end else begin : g_dsp
      // Wider than it has to be: 32 bits simulate faster.
      always_ff @(posedge clk_i) begin
        if (valid_i) begin
          part_q <=
              18'(32'($signed(inp_i[(4*g+0)*8 +: 8])) * 32'($signed(wgt_i[(4*g+0)*8 +: 8])) +
                  32'($signed(inp_i[(4*g+1)*8 +: 8])) * 32'($signed(wgt_i[(4*g+1)*8 +: 8])) +
                  32'($signed(inp_i[(4*g+2)*8 +: 8])) * 32'($signed(wgt_i[(4*g+2)*8 +: 8])) +
                  32'($signed(inp_i[(4*g+3)*8 +: 8])) * 32'($signed(wgt_i[(4*g+3)*8 +: 8])));
        end
      end
    end
    if (g == 0) begin : g_first
      assign sum = 32'(part_q);
    end else begin : g_next
      assign sum = 32'(part_q) + g_group[g-1].sum;
    end
  end
  assign sum_o = sum_valid_i ? g_group[Groups-1].sum : 'x;
endmodule
