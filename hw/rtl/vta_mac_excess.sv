/// What vta_mac_pair adds to its lower sums: 128 for each unit of an input, and 2^16 a pair of products.
/// Timing: two registers deep.
module vta_mac_excess (
  input  logic                          clk_i,
  input  logic [1:0]                    valid_i,  // by stage: what enters it
  input  logic [vta_pkg::BlockIn*8-1:0] inp_i,
  output logic [31:0]                   excess_o
);
  localparam int Groups = vta_pkg::BlockIn / 4;

  logic [Groups*10-1:0] sums_q;  // of four inputs
  logic [31:0] total, excess_q;

  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      for (int g = 0; g < Groups; g++)
        sums_q[g*10 +: 10] <=
            (10'($signed(inp_i[(4*g+0)*8 +: 8])) + 10'($signed(inp_i[(4*g+1)*8 +: 8]))) +
            (10'($signed(inp_i[(4*g+2)*8 +: 8])) + 10'($signed(inp_i[(4*g+3)*8 +: 8])));
    end
  end

  always_comb begin
    total = 32'(vta_pkg::BlockIn / 2) << 9;
    for (int g = 0; g < Groups; g++) total = total + 32'($signed(sums_q[g*10 +: 10]));
  end
  always_ff @(posedge clk_i) begin
    if (valid_i[1]) excess_q <= total << 7;
  end
  assign excess_o = excess_q;
endmodule
