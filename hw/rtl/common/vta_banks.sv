/// A memory in Banks banks by the top bit of the row, with a writer for each and Readers readers. In a
/// cycle, of the writers at most one writes in a bank, and of the readers at most one reads there.
/// Timing: of each bank as vta_ram. Who reads knows its bank, and takes that one's data.
module vta_banks #(
  parameter int Width = 32,
  parameter int Depth = 16,   // rows of all banks
  parameter int Lanes = 1,
  parameter int Banks = 1,    // 1 or 2
  parameter int Readers = 1   // 1, or as many as banks
) (
  input  logic                             clk_i,
  input  logic [Banks-1:0]                 write_i,
  input  logic [Banks*$clog2(Depth)-1:0]   write_row_i,
  input  logic [Banks*Lanes-1:0]           write_lanes_i,
  input  logic [Banks*Width-1:0]           write_data_i,
  input  logic [Readers-1:0]               read_i,
  input  logic [Readers*$clog2(Depth)-1:0] read_row_i,
  output logic [Banks*Width-1:0]           read_data_o    // by bank
);
  localparam int RowBits = $clog2(Depth);
  if (Banks == 1) begin : g_one
    vta_ram #(.Width(Width), .Depth(Depth), .Lanes(Lanes)) u_ram (
      .clk_i, .write_i, .write_row_i, .write_lanes_i, .write_data_i, .read_i, .read_row_i,
      .read_data_o
    );
  end else begin : g_two
    localparam int Inner = RowBits - 1;
    logic [Banks-1:0] write_top;
    logic [Readers-1:0] read_top;
    for (genvar b = 0; b < Banks; b++) begin : g_top
      assign write_top[b] = write_row_i[b*RowBits + Inner];
    end
    for (genvar b = 0; b < Banks; b++) begin : g_bank
      logic [Banks-1:0] writes;
      logic [Readers-1:0] reads;
      logic [Inner-1:0] read_row;
      assign writes = write_i & ~(write_top ^ {Banks{b != 0}});
      assign reads = read_i & ~(read_top ^ {Readers{b != 0}});
      assign read_row = read_row_i[(reads[Readers-1] ? Readers - 1 : 0)*RowBits +: Inner];
      vta_ram #(.Width(Width), .Depth(Depth / Banks), .Lanes(Lanes)) u_ram (
        .clk_i, .write_i(writes != '0),
        .write_row_i(writes[1] ? write_row_i[RowBits +: Inner] : write_row_i[0 +: Inner]),
        .write_lanes_i(writes[1] ? write_lanes_i[Lanes +: Lanes] : write_lanes_i[0 +: Lanes]),
        .write_data_i(writes[1] ? write_data_i[Width +: Width] : write_data_i[0 +: Width]),
        .read_i(reads != '0), .read_row_i(read_row), .read_data_o(read_data_o[b*Width +: Width])
      );
`ifndef SYNTHESIS
      always_ff @(posedge clk_i) begin
        assert ($onehot0(writes));
        assert ($onehot0(reads));
      end
`endif
    end
    for (genvar r = 0; r < Readers; r++) begin : g_reader
      assign read_top[r] = read_row_i[r*RowBits + Inner];
    end
  end
endmodule
