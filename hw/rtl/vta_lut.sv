/// One lane's copy of the table of lut, in four banks: byte i is in bank i % 4, and a part of four bytes is
/// written at once.
/// Timing: a read is combinational, and sees the writes of earlier cycles.
module vta_lut (
  input  logic        clk_i,
  input  logic        write_i,
  input  logic [5:0]  part_i,
  input  logic [31:0] data_i,
  input  logic        read_i,
  input  logic [7:0]  code_i,
  output logic [7:0]  byte_o   // with read_i
);
  logic [31:0] bytes;
  for (genvar b = 0; b < 4; b++) begin : g_bank
    (* ram_style = "distributed" *) logic [7:0] mem [0:63];
    always_ff @(posedge clk_i) if (write_i) mem[part_i] <= data_i[b*8 +: 8];
    assign bytes[b*8 +: 8] = mem[code_i[7:2]];
  end
  assign byte_o = !read_i ? 'x : bytes[{code_i[1:0], 3'd0} +: 8];
endmodule
