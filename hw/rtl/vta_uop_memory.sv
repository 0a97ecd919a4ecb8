/// The micro-op memory, in banks as many as a beat holds, and the far end of a LOAD of uop: a beat's
/// micro-ops are written in one cycle wherever they start.
/// Timing: one beat a cycle, from the cycle after start_i; a read's data appears in the next cycle.
module vta_uop_memory (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic                             start_i,   // x and y size are not 0
  input  logic [127:0]                     insn_i,
  input  logic                             beat_valid_i,
  input  logic                             beat_error_i,
  input  logic [vta_pkg::BusBits-1:0]      beat_data_i,
  output logic                             beat_ready_o,
  output logic                             write_o,
  output logic [15:0]                      row_o,     // of the first micro-op written
  output logic [4:0]                       count_o,   // micro-ops written
  output logic [vta_pkg::BusBits-1:0]      data_o,    // they, from bit 0 up
  output logic                             done_o,
  output logic [3:0]                       fault_o,   // with done_o
  input  logic                             read_i,
  input  logic [vta_pkg::UopIndexBits-1:0] read_row_i,
  output logic [31:0]                      read_data_o
);
  localparam int Banks = vta_pkg::BusBits / 32;
  localparam int BankBits = $clog2(Banks);
  localparam int RowBits = vta_pkg::UopIndexBits - BankBits;

  logic busy_q;
  logic [16:0] row_q, y_left_q;
  logic [15:0] x_size_q, x_left_q;
  logic [BankBits-1:0] offset_q, stride_q, row_offset_q;  // lane of the next, of the row's first
  logic [16:0] room, fits;
  logic [15:0] lanes, count;
  logic outside, refused, step;
  logic [BankBits-1:0] read_bank_q;
  logic [vta_pkg::BusBits-1:0] bank_data;

  assign outside = row_q >= 17'(vta_pkg::UopDepth);
  assign refused = beat_valid_i && beat_error_i;
  assign step = busy_q && !outside && beat_valid_i && !beat_error_i;
  assign lanes = 16'(Banks) - 16'(offset_q);
  assign count = x_left_q < lanes ? x_left_q : lanes;
  assign room = 17'(vta_pkg::UopDepth) - row_q;
  assign fits = 17'(count) < room ? 17'(count) : room;

  assign beat_ready_o = busy_q && !outside;
  assign write_o = step;
  assign row_o = row_q[15:0];
  assign count_o = 5'(fits);
  assign data_o = beat_data_i >> {offset_q, 5'd0};
  assign done_o = busy_q && (outside || refused ||
                  (step && (fits != 17'(count) || (count == x_left_q && y_left_q == 17'd1))));
  assign fault_o = outside || (step && fits != 17'(count)) ? vta_pkg::FAULT_INDEX_OUT_OF_RANGE :
                   refused ? vta_pkg::FAULT_BUS_ERROR : vta_pkg::FAULT_NONE;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (clear_i) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (done_o) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      row_q <= 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]);
      y_left_q <= 17'(insn_i[vta_pkg::LoadYSizeLsb +: 16]);
      x_size_q <= insn_i[vta_pkg::LoadXSizeLsb +: 16];
      x_left_q <= insn_i[vta_pkg::LoadXSizeLsb +: 16];
      offset_q <= insn_i[vta_pkg::LoadDramBaseLsb +: BankBits];
      row_offset_q <= insn_i[vta_pkg::LoadDramBaseLsb +: BankBits];
      stride_q <= insn_i[vta_pkg::LoadXStrideLsb +: BankBits];
    end else if (step) begin
      row_q <= row_q + 17'(count);
      if (count == x_left_q) begin
        x_left_q <= x_size_q;
        y_left_q <= y_left_q - 17'd1;
        offset_q <= row_offset_q + stride_q;
        row_offset_q <= row_offset_q + stride_q;
      end else begin
        x_left_q <= x_left_q - count;
        offset_q <= '0;
      end
    end
  end

  // Bank b takes the micro-op `ahead` places after the first one written.
  for (genvar b = 0; b < Banks; b++) begin : g_bank
    logic [BankBits-1:0] ahead, lane;
    logic [16:0] index;
    logic unused_index;
    assign ahead = BankBits'(b) - row_q[BankBits-1:0];
    assign lane = offset_q + ahead;
    assign index = row_q + 17'(ahead);
    assign unused_index = ^index;
    vta_ram #(.Width(32), .Depth(vta_pkg::UopDepth / Banks)) u_ram (
      .clk_i, .write_i(step && 17'(ahead) < fits),
      .write_row_i(index[BankBits +: RowBits]), .write_lanes_i(1'b1),
      .write_data_i(beat_data_i[{lane, 5'd0} +: 32]), .read_i,
      .read_row_i(read_row_i[BankBits +: RowBits]), .read_data_o(bank_data[b*32 +: 32])
    );
  end

  always_ff @(posedge clk_i) begin
    if (read_i) read_bank_q <= read_row_i[BankBits-1:0];
  end
  assign read_data_o = bank_data[{read_bank_q, 5'd0} +: 32];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (start_i) assert (!busy_q || done_o);
      // No micro-op is read while any is written.
      assert (!(step && read_i));
    end
  end
`endif
endmodule
