// The RTL's memories and products, as Yosys makes block RAMs and multipliers of them.
module cells (
  input  logic        clk_i,
  input  logic        write_i,
  input  logic        read_i,
  input  logic [14:0] write_row_i,
  input  logic [14:0] read_row_i,
  input  logic [35:0] data_i,
  output logic [35:0] by_36_o,
  output logic [17:0] by_18_o,
  output logic [8:0]  by_9_o,
  output logic [3:0]  by_4_o,
  output logic        by_1_o,
  output logic [17:0] table_o,
  output logic [35:0] signed_o,
  output logic [35:0] unsigned_o
);
  vta_ram #(.Width(36), .Depth(512)) u_36 (
    .clk_i, .write_i, .write_row_i(write_row_i[8:0]), .write_lanes_i(1'b1), .write_data_i(data_i),
    .read_i, .read_row_i(read_row_i[8:0]), .read_data_o(by_36_o)
  );
  vta_ram #(.Width(18), .Depth(1024)) u_18 (
    .clk_i, .write_i, .write_row_i(write_row_i[9:0]), .write_lanes_i(1'b1),
    .write_data_i(data_i[17:0]), .read_i, .read_row_i(read_row_i[9:0]), .read_data_o(by_18_o)
  );
  vta_ram #(.Width(9), .Depth(2048)) u_9 (
    .clk_i, .write_i, .write_row_i(write_row_i[10:0]), .write_lanes_i(1'b1),
    .write_data_i(data_i[8:0]), .read_i, .read_row_i(read_row_i[10:0]), .read_data_o(by_9_o)
  );
  vta_ram #(.Width(4), .Depth(4096)) u_4 (
    .clk_i, .write_i, .write_row_i(write_row_i[11:0]), .write_lanes_i(1'b1),
    .write_data_i(data_i[3:0]), .read_i, .read_row_i(read_row_i[11:0]), .read_data_o(by_4_o)
  );
  vta_ram #(.Width(1), .Depth(32768)) u_1 (
    .clk_i, .write_i, .write_row_i, .write_lanes_i(1'b1), .write_data_i(data_i[0]), .read_i,
    .read_row_i, .read_data_o(by_1_o)
  );

  logic [17:0] rows [0:4095];
  initial for (int i = 0; i < 4096; i++) rows[i] = 18'(i * i * 37 + i);
  always_ff @(posedge clk_i) if (read_i) table_o <= rows[read_row_i[11:0]];

  always_ff @(posedge clk_i) begin
    signed_o <= $signed(data_i[17:0]) * $signed(data_i[35:18]);
    unsigned_o <= data_i[17:0] * data_i[35:18];
  end
endmodule
