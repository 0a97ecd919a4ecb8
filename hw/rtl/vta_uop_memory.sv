/// The micro-op memory, in banks as many as a beat holds, and the far end of a LOAD of uop: a beat's
/// micro-ops are written in one cycle wherever they start.
/// Timing: one beat a cycle, from the second cycle after start_i; done_o in the cycle after the last
/// write. A read's data appears in the next cycle.
module vta_uop_memory (
  input  logic                             clk_i,
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
  output logic                             done_o,    // a cycle later
  output logic                             failed_o,  // instead of done_o
  output logic [3:0]                       fault_o,   // with failed_o
  input  logic                             read_i,
  input  logic [vta_pkg::UopIndexBits-1:0] read_row_i,
  output logic [31:0]                      read_data_o
);
  localparam int Banks = vta_pkg::BusBits / 32;
  localparam int BankBits = $clog2(Banks);
  localparam int RowBits = vta_pkg::UopIndexBits - BankBits;

  logic busy_q, first_q, done_q, failed_q, row_ends_q, outside_q;  // first: the first beat is prepared
  logic [3:0] fault_q;
  logic [16:0] row_q, y_left_q, room_q;        // room: micro-ops that fit
  logic [15:0] x_size_q, x_left_q;
  logic [BankBits-1:0] offset_q, stride_q, row_offset_q;  // lane of the next, of the row's first
  logic [4:0] count_q, fits;                   // micro-ops of the next beat, those that fit
  logic refused, step, cut, last, next_row_ends;
  logic [15:0] next_left;
  logic [4:0] next_count;
  logic [BankBits-1:0] next_offset;
  logic [BankBits-1:0] read_bank_q;
  logic [vta_pkg::BusBits-1:0] bank_data;

  assign refused = beat_valid_i && beat_error_i;
  assign step = busy_q && !outside_q && beat_valid_i && !beat_error_i;
  assign cut = 17'(count_q) > room_q;
  assign fits = cut ? room_q[4:0] : count_q;
  assign last = step && (cut || (row_ends_q && y_left_q == 17'd1));

  assign beat_ready_o = busy_q && !outside_q;
  assign write_o = step;
  assign row_o = row_q[15:0];
  assign count_o = fits;
  assign data_o = beat_data_i >> {offset_q, 5'd0};
  assign done_o = done_q;
  assign failed_o = failed_q;
  assign fault_o = fault_q;

  // The beat after this one, or the first: what is left of its row, from which lane on.
  always_comb begin
    next_left = x_left_q - 16'(count_q);
    next_offset = '0;
    if (first_q) begin
      next_left = x_size_q;
      next_offset = row_offset_q;
    end else if (row_ends_q) begin
      next_left = x_size_q;
      next_offset = row_offset_q + stride_q;
    end
    next_row_ends = next_left <= 16'(Banks) - 16'(next_offset);
    next_count = next_row_ends ? next_left[4:0] : 5'(Banks) - 5'(next_offset);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      busy_q <= 1'b0;
      first_q <= 1'b0;
      done_q <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      first_q <= start_i;
      done_q <= last && !cut;
      failed_q <= busy_q && (outside_q || refused || (step && cut));
      if (first_q) busy_q <= 1'b1;
      else if (outside_q || refused || last) busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    fault_q <= outside_q || step ? vta_pkg::FAULT_INDEX_OUT_OF_RANGE : vta_pkg::FAULT_BUS_ERROR;
    if (first_q || step) begin
      x_left_q <= next_left;
      offset_q <= next_offset;
      count_q <= next_count;
      row_ends_q <= next_row_ends;
    end
    if (step) begin
      row_q <= row_q + 17'(count_q);
      outside_q <= room_q == 17'(count_q);
      room_q <= room_q - 17'(count_q);
      if (row_ends_q) begin
        y_left_q <= y_left_q - 17'd1;
        row_offset_q <= row_offset_q + stride_q;
      end
    end
    if (start_i) begin
      row_q <= 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]);
      room_q <= 17'(vta_pkg::UopDepth) - 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]);
      outside_q <= 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]) >= 17'(vta_pkg::UopDepth);
      y_left_q <= 17'(insn_i[vta_pkg::LoadYSizeLsb +: 16]);
      x_size_q <= insn_i[vta_pkg::LoadXSizeLsb +: 16];
      row_offset_q <= insn_i[vta_pkg::LoadDramBaseLsb +: BankBits];
      stride_q <= insn_i[vta_pkg::LoadXStrideLsb +: BankBits];
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
      .clk_i, .write_i(step && 5'(ahead) < fits),
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
    if (!clear_i) begin
      if (start_i) assert (!busy_q && !first_q);
      // No micro-op is read while any is written.
      assert (!(step && read_i));
    end
  end
`endif
endmodule
