/// The far end of a LOAD of inp, wgt, acc or acc8: walks the padded tile row by row, takes beats from
/// memory, and says which lanes of which scratchpad row get written.
/// Timing: one beat, or one pad element, a cycle, from the cycle after start_i; done_o in the cycle after
/// the last write.
module vta_tile #(
  parameter int LaneBits = 8  // index of a beat in an element
) (
  input  logic                clk_i,
  input  logic                clear_i,
  input  logic                start_i,     // x and y size are not 0
  input  logic [127:0]        insn_i,
  input  logic [16:0]         depth_i,     // rows of the scratchpad
  input  logic [LaneBits-1:0] last_lane_i, // beats of an element less one
  input  logic                hold_i,      // the row is not to be written yet
  output logic                busy_o,
  input  logic                beat_valid_i,
  input  logic                beat_error_i,
  output logic                beat_ready_o,
  output logic                write_o,
  output logic                pad_o,       // the whole row is pad
  output logic [15:0]         row_o,
  output logic [LaneBits-1:0] lane_o,
  output logic                element_o,   // the last beat of an element from memory
  output logic                ending_o,    // the last write: another one may start
  output logic                done_o,      // a cycle later
  output logic                failed_o,    // instead of done_o
  output logic [3:0]          fault_o      // with failed_o
);
  logic busy_q, done_q, failed_q;
  logic [3:0] fault_q;
  logic [16:0] row_q, depth_q;
  logic [LaneBits-1:0] lane_q, last_lane_q;
  logic pad, outside_q, step, element, refused, last, x_last, x_inside, y_last, y_inside;

  assign pad = !x_inside || !y_inside;
  assign refused = !pad && beat_valid_i && beat_error_i;
  assign step = busy_q && !outside_q && !hold_i && (pad || (beat_valid_i && !beat_error_i));
  assign element = step && (pad || lane_q == last_lane_q);
  assign last = element && x_last && y_last;

  assign busy_o = busy_q;
  assign beat_ready_o = busy_q && !outside_q && !hold_i && !pad;
  assign write_o = step;
  assign pad_o = pad;
  assign row_o = row_q[15:0];
  assign lane_o = lane_q;
  assign element_o = element && !pad;
  assign ending_o = last;
  assign done_o = done_q;
  assign failed_o = failed_q;
  assign fault_o = fault_q;

  vta_padded u_x (
    .clk_i, .start_i, .before_i(insn_i[vta_pkg::LoadXPadLeftLsb +: 4]),
    .size_i(insn_i[vta_pkg::LoadXSizeLsb +: 16]), .after_i(insn_i[vta_pkg::LoadXPadRightLsb +: 4]),
    .step_i(element), .inside_o(x_inside), .last_o(x_last)
  );
  vta_padded u_y (
    .clk_i, .start_i, .before_i(insn_i[vta_pkg::LoadYPadTopLsb +: 4]),
    .size_i(insn_i[vta_pkg::LoadYSizeLsb +: 16]), .after_i(insn_i[vta_pkg::LoadYPadBottomLsb +: 4]),
    .step_i(element && x_last), .inside_o(y_inside), .last_o(y_last)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      done_q <= last;
      failed_q <= busy_q && (outside_q || refused);
      if (start_i) busy_q <= 1'b1;
      else if (outside_q || refused || last) busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    fault_q <= outside_q ? vta_pkg::FAULT_INDEX_OUT_OF_RANGE : vta_pkg::FAULT_BUS_ERROR;
    if (step) begin
      lane_q <= element ? '0 : lane_q + 1'b1;
      if (element) begin
        outside_q <= row_q + 17'd1 == depth_q;
        row_q <= row_q + 17'd1;
      end
    end
    if (start_i) begin
      lane_q <= '0;
      row_q <= 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]);
      outside_q <= 17'(insn_i[vta_pkg::LoadSramBaseLsb +: 16]) >= depth_i;
      depth_q <= depth_i;
      last_lane_q <= last_lane_i;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i && start_i) assert (!busy_q || last);
  end
`endif
endmodule
