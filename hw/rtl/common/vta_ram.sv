/// Memory with one write port, written by lanes, and one read port.
/// Timing: data of a read appears in the next cycle and stays, with Registered in the one after it. A
/// read sees the writes of earlier cycles. Lanes that are written in its own cycle are undefined, since
/// not every block memory has them; in simulation they are the complement of what was there.
module vta_ram #(
  parameter int Width = 32,
  parameter int Depth = 16,
  parameter int Lanes = 1,
  parameter bit Registered = 1'b0  // the block memory's own output register
) (
  input  logic                     clk_i,
  input  logic                     write_i,
  input  logic [$clog2(Depth)-1:0] write_row_i,
  input  logic [Lanes-1:0]         write_lanes_i,
  input  logic [Width-1:0]         write_data_i,
  input  logic                     read_i,
  input  logic [$clog2(Depth)-1:0] read_row_i,
  output logic [Width-1:0]         read_data_o
);
  localparam int LaneBits = Width / Lanes;

  logic [Width-1:0] data;
`ifndef SYNTHESIS
  logic meets;
  assign meets = read_i && write_i && read_row_i == write_row_i;
`endif

  // A memory for each lane: synthesis finds block memories in that.
  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    (* no_rw_check *) logic [LaneBits-1:0] mem [0:Depth-1];
    logic [LaneBits-1:0] data_q;
    always_ff @(posedge clk_i) begin
      if (read_i) data_q <= mem[read_row_i];
`ifdef SYNTHESIS
      if (write_i && write_lanes_i[l]) mem[write_row_i] <= write_data_i[l*LaneBits +: LaneBits];
`else
      if (meets) if (write_lanes_i[l]) data_q <= ~mem[read_row_i];
      // The same: nothing else looks at the memory, and a nonblocking write simulates at twice the cost.
      if (write_i) if (write_lanes_i[l]) mem[write_row_i] = write_data_i[l*LaneBits +: LaneBits];
`endif
    end
    assign data[l*LaneBits +: LaneBits] = data_q;
  end

  if (Registered) begin : g_registered
    logic read_q;
    logic [Width-1:0] register_q;
    always_ff @(posedge clk_i) begin
      read_q <= read_i;
      if (read_q) register_q <= data;
    end
    assign read_data_o = register_q;
  end else begin : g_direct
    assign read_data_o = data;
  end
endmodule
