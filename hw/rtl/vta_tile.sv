/// The far end of a LOAD of inp, wgt, acc or acc8: walks the padded tile row by row, takes beats from
/// memory, and says which lanes of which scratchpad row get written.
/// Timing: one beat, or one pad element, a cycle, from the cycle after start_i.
module vta_tile #(
  parameter int LaneBits = 8  // index of a beat in an element
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                start_i,     // x and y size are not 0
  input  logic [127:0]        insn_i,
  input  logic [16:0]         depth_i,     // rows of the scratchpad
  input  logic [LaneBits-1:0] last_lane_i, // beats of an element less one
  output logic                busy_o,
  input  logic                beat_valid_i,
  input  logic                beat_error_i,
  output logic                beat_ready_o,
  output logic                write_o,
  output logic                pad_o,       // the whole row is pad
  output logic [15:0]         row_o,
  output logic [LaneBits-1:0] lane_o,
  output logic                element_o,   // the last beat of an element from memory
  output logic                done_o,
  output logic [3:0]          fault_o      // with done_o
);
  logic busy_q;
  logic [16:0] x_q, y_q, row_q;
  logic [16:0] x_first_q, x_end_q, x_last_q, y_first_q, y_end_q, y_last_q, depth_q;
  logic [LaneBits-1:0] lane_q, last_lane_q;
  logic pad, outside, step, refused, last;

  assign pad = x_q < x_first_q || x_q >= x_end_q || y_q < y_first_q || y_q >= y_end_q;
  assign outside = row_q >= depth_q;
  assign refused = !pad && beat_valid_i && beat_error_i;
  assign step = busy_q && !outside && (pad || (beat_valid_i && !beat_error_i));
  assign last = x_q == x_last_q && y_q == y_last_q && (pad || lane_q == last_lane_q);

  assign busy_o = busy_q;
  assign beat_ready_o = busy_q && !outside && !pad;
  assign write_o = step;
  assign pad_o = pad;
  assign row_o = row_q[15:0];
  assign lane_o = lane_q;
  assign element_o = step && !pad && lane_q == last_lane_q;
  assign done_o = busy_q && (outside || refused || (step && last));
  assign fault_o = outside ? vta_pkg::FAULT_INDEX_OUT_OF_RANGE :
                   refused ? vta_pkg::FAULT_BUS_ERROR : vta_pkg::FAULT_NONE;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (clear_i) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (done_o) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      x_q <= '0;
      y_q <= '0;
      lane_q <= '0;
      row_q <= 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]);
      x_first_q <= 17'(insn_i[vta_pkg::LoadXPadLeftLsb +: 4]);
      x_end_q <= 17'(insn_i[vta_pkg::LoadXPadLeftLsb +: 4]) +
                 17'(insn_i[vta_pkg::LoadXSizeLsb +: 16]);
      x_last_q <= 17'(insn_i[vta_pkg::LoadXPadLeftLsb +: 4]) +
                  17'(insn_i[vta_pkg::LoadXSizeLsb +: 16]) +
                  17'(insn_i[vta_pkg::LoadXPadRightLsb +: 4]) - 17'd1;
      y_first_q <= 17'(insn_i[vta_pkg::LoadYPadTopLsb +: 4]);
      y_end_q <= 17'(insn_i[vta_pkg::LoadYPadTopLsb +: 4]) +
                 17'(insn_i[vta_pkg::LoadYSizeLsb +: 16]);
      y_last_q <= 17'(insn_i[vta_pkg::LoadYPadTopLsb +: 4]) +
                  17'(insn_i[vta_pkg::LoadYSizeLsb +: 16]) +
                  17'(insn_i[vta_pkg::LoadYPadBottomLsb +: 4]) - 17'd1;
      depth_q <= depth_i;
      last_lane_q <= last_lane_i;
    end else if (step) begin
      if (!pad && lane_q != last_lane_q) begin
        lane_q <= lane_q + 1'b1;
      end else begin
        lane_q <= '0;
        row_q <= row_q + 17'd1;
        x_q <= x_q == x_last_q ? 17'd0 : x_q + 17'd1;
        if (x_q == x_last_q) y_q <= y_q + 17'd1;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i) assert (!busy_q || done_o);
  end
`endif
endmodule
