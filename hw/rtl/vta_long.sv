/// mul, requant and lut of all lanes, with the parameter block of requant and the table of lut; what goes through its stages is
/// told by stage, the first of which is that in which it comes in.
/// Timing: the result is there LongStages cycles after the operands. Source: isa/spec/timing.h.
module vta_long #(
  parameter bit Requant = 1'b1
) (
  input  logic                            clk_i,
  input  logic                            clear_i,
  input  logic                            start_i,   // of an instruction
  input  logic                            double_i,  // with start_i
  input  logic                            block_i,   // b_i is a row of the block
  input  logic [1:0]                      index_i,   // which one
  input  logic                            valid_i,   // a step
  input  logic                            requant_i, // or lut
  input  logic                            looks_i,   // lut
  input  logic                            last_i,
  input  logic                            fault_i,
  input  logic [vta_pkg::AccIndexBits-1:0] dst_i,
  input  logic [vta_pkg::AccBits-1:0]     a_i,
  input  logic [vta_pkg::AccBits-1:0]     b_i,
  input  logic [38:0]                     lut_i,     // a part of the table: written, which one, its bytes
  output logic [vta_pkg::LongStages:0]    valid_o,
  output logic [vta_pkg::LongStages:0]    last_o,
  output logic [vta_pkg::LongStages:0]    fault_o,
  output logic [(vta_pkg::LongStages+1)*vta_pkg::AccIndexBits-1:0] dst_o,
  output logic [vta_pkg::AccBits-1:0]     result_o
);
  localparam int RowBits = vta_pkg::AccIndexBits;
  localparam int AccBits = vta_pkg::AccBits;
  localparam int Long = vta_pkg::LongStages;

  logic [AccBits-1:0] bias_q, multiplier_q, packed_q;
  logic [Long:1] main_stages_q, last_stages_q, fault_stages_q;
  logic [Long*RowBits-1:0] dst_stages_q;
  assign valid_o = {main_stages_q, valid_i};
  assign last_o = {last_stages_q, last_i};
  assign fault_o = {fault_stages_q, fault_i};
  assign dst_o = {dst_stages_q, dst_i};
  if (Requant) begin : g_block
    always_ff @(posedge clk_i) begin
      if (block_i && index_i == 2'd0) bias_q <= b_i;
      if (block_i && index_i == 2'd1) multiplier_q <= b_i;
      if (block_i && index_i == 2'd2) packed_q <= b_i;
    end
  end else begin : g_no_block
    logic unused_block;
    assign unused_block = block_i ^ (^index_i);
    assign bias_q = '0;
    assign multiplier_q = '0;
    assign packed_q = '0;
  end
  // One kind of operation is in these stages at a time, and nothing else comes in before it is out.
  logic requant_stages_q, looks_stages_q, double_q;
  always_ff @(posedge clk_i) if (valid_i) {requant_stages_q, looks_stages_q} <= {requant_i, vta_pkg::Lut != 0 && looks_i};
  always_ff @(posedge clk_i) if (start_i) double_q <= double_i;
  for (genvar l = 0; l < vta_pkg::Lanes; l++) begin : g_lane
    vta_alu_long u_alu (
      .clk_i, .valid_i(valid_o), .requant_i(valid_i ? requant_i : requant_stages_q),
      .double_i(double_q), .a_i(a_i[l*32 +: 32]), .b_i(b_i[l*32 +: 32]),
      .bias_i(bias_q[l*32 +: 32]), .multiplier_i(multiplier_q[l*32 +: 32]),
      .packed_i(packed_q[l*32 +: 32]), .looks_i(looks_stages_q), .lut_i, .result_o(result_o[l*32 +: 32])
    );
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) main_stages_q <= '0;
    else main_stages_q <= valid_o[Long-1:0];
  end
  always_ff @(posedge clk_i) begin
    {last_stages_q, fault_stages_q, dst_stages_q} <= 'x;
    if (valid_o[Long-1:0] != '0) begin
      last_stages_q <= last_o[Long-1:0];
      fault_stages_q <= fault_o[Long-1:0];
      dst_stages_q <= dst_o[Long*RowBits-1:0];
    end
  end
endmodule
