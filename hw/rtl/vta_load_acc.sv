/// The far end of a LOAD of acc, acc8 or lut: which lanes of which accumulator row, or which part of the table,
/// get written, and with what. A beat of acc8 fills four beats' lanes, each byte sign-extended. A part of the
/// table is 4 bytes: a beat, which has several, is taken with its last ones.
/// Timing: as vta_tile.
module vta_load_acc #(
  parameter int LaneBits = 10
) (
  input  logic                             clk_i,
  input  logic                             clear_i,
  input  logic                             start_i,  // x and y size are not 0
  input  logic [127:0]                     insn_i,   // with start_i
  input  logic [7:0]                       pad_i,    // the byte that SET gave
  input  logic [1:0]                       locked_i, // banks that are not to be written yet
  output logic                             busy_o,
  input  logic                             beat_valid_i,
  input  logic                             beat_error_i,
  input  logic [vta_pkg::BusBits-1:0]      beat_data_i,
  output logic                             beat_ready_o,
  output logic                             write_o,
  output logic [vta_pkg::AccIndexBits-1:0] row_o,
  output logic [vta_pkg::AccBits/vta_pkg::BusBits-1:0] lanes_o,
  output logic [vta_pkg::AccBits-1:0]      data_o,    // with write_o
  output logic                             write_lut_o,
  output logic [5:0]                       lut_part_o,
  output logic [31:0]                      lut_data_o, // with write_lut_o
  output logic                             element_o, // from memory
  output logic                             done_o,
  output logic                             failed_o,  // instead of done_o
  output logic [3:0]                       fault_o
);
  localparam int AccBits = vta_pkg::AccBits;
  localparam int Lanes = AccBits / vta_pkg::BusBits;
  localparam int LogBeat = vta_pkg::LogBeatBytes;

  logic is_acc8, acc8_q, select_q, pad, is_lut, tile_ready, tile_write, held, unused_ending, unused_row;
  logic [15:0] row;
  logic [LaneBits-1:0] lane;
  assign is_acc8 = vta_pkg::Acc8 != 0 && insn_i[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_ACC8;
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      acc8_q <= is_acc8;
      select_q <= insn_i[vta_pkg::LoadPadSelectLsb];
    end
  end
  vta_tile #(.LaneBits(LaneBits)) u_tile (
    .clk_i, .clear_i, .start_i, .insn_i, .depth_i(is_lut ? 17'd1 : 17'(vta_pkg::AccDepth)),
    .last_lane_i(is_lut ? LaneBits'(63) : is_acc8 ? LaneBits'((1 << (vta_pkg::LogBytesAcc8 - LogBeat)) - 1) :
                 LaneBits'((1 << (vta_pkg::LogBytesAcc - LogBeat)) - 1)),
    .hold_i(held), .busy_o, .beat_valid_i, .beat_error_i,
    .beat_ready_o(tile_ready), .write_o(tile_write), .pad_o(pad), .row_o(row), .lane_o(lane), .element_o,
    .ending_o(unused_ending), .done_o, .failed_o, .fault_o
  );
  if (vta_pkg::Lut != 0) begin : g_lut
    localparam int Parts = vta_pkg::BusBits / 32;  // of a beat
    logic lut_q;
    logic [LaneBits-1:0] place;
    assign is_lut = insn_i[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_LUT;
    always_ff @(posedge clk_i) if (start_i) lut_q <= is_lut;
    assign held = lut_q ? locked_i != '0 : locked_i[row_o[vta_pkg::AccIndexBits-1]];
    assign place = lane & LaneBits'(Parts - 1);
    assign beat_ready_o = tile_ready && (!lut_q || !beat_valid_i || beat_error_i || place == LaneBits'(Parts - 1));
    assign write_o = tile_write && !lut_q;
    assign write_lut_o = tile_write && lut_q;
    assign lut_part_o = lane[5:0];
    always_comb begin
      lut_data_o = 'x;
      if (write_lut_o) lut_data_o = beat_data_i[32'(place)*32 +: 32];
    end
  end else begin : g_no_lut
    assign {is_lut, write_lut_o, lut_part_o, lut_data_o} = '0;
    assign held = locked_i[row_o[vta_pkg::AccIndexBits-1]];
    assign beat_ready_o = tile_ready;
    assign write_o = tile_write;
  end
  assign row_o = row[vta_pkg::AccIndexBits-1:0];
  assign unused_row = ^row;

  logic [vta_pkg::BusBits*4-1:0] widened;
  logic [7:0] pad_byte;
  for (genvar b = 0; b < vta_pkg::BusBits / 8; b++) begin : g_widen
    assign widened[b*32 +: 32] = 32'($signed(beat_data_i[b*8 +: 8]));
  end
  assign pad_byte = select_q ? pad_i : 8'd0;
  always_comb begin
    if (pad) lanes_o = '1;
    else if (acc8_q) lanes_o = Lanes'(4'hf) << {lane, 2'd0};
    else lanes_o = Lanes'(1'b1) << lane;
  end
  always_comb begin
    data_o = 'x;
    if (write_o) begin
      if (pad) data_o = {(AccBits/32){32'($signed(pad_byte))}};
      else if (acc8_q) data_o = {(Lanes/4){widened}};
      else data_o = {Lanes{beat_data_i}};
    end
  end
endmodule
