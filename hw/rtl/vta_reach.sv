/// Where the accumulator rows of an ALU instruction lie, known before it comes to them: factors are
/// unsigned, so what its micro-ops name in their first pass, and the last offset on top of the most of it,
/// bound all of them, exactly.
/// Timing: known_o from ReachCycles after start_i on, or ReachPassCycles after the last micro-op of the
/// first pass came, whichever is later; until the next start_i. Source: isa/spec/timing.h.
module vta_reach (
  input  logic                             clk_i,
  input  logic                             start_i,
  input  logic [127:0]                     insn_i,    // from the next cycle on
  input  logic                             valid_i,   // a micro-op of the first pass
  input  logic                             last_i,    // of it
  input  logic                             outside_i,
  input  logic [vta_pkg::AccIndexBits-1:0] dst_i,
  input  logic [vta_pkg::AccIndexBits-1:0] src_i,
  output logic                             known_o,   // no row is outside, all lie in one bank
  output logic                             bank_o
);
  localparam int RowBits = vta_pkg::AccIndexBits;
  localparam int TripBits = vta_pkg::AluIterOutBits;

  logic uses_src, requant;
  assign uses_src = !insn_i[vta_pkg::AluUseImmLsb];
  assign requant = vta_pkg::AluOpBlock[insn_i[vta_pkg::AluAluOpcodeLsb +: 3]];

  // The last offsets, (iter_out - 1) * factor_out + (iter_in - 1) * factor_in, a bit of the trips a cycle
  // from the top.
  logic begin_q;
  logic [TripBits-1:0] steps_q;  // a bit that moves down
  logic [TripBits-1:0] out_q, in_q;
  logic dst_over_q, src_over_q;
  logic [RowBits-1:0] dst_last_q, src_last_q;
  logic [RowBits+1:0] dst_last, src_last;
  assign dst_last = {1'b0, dst_last_q, 1'b0} +
                    (out_q[TripBits-1] ? (RowBits+2)'(insn_i[vta_pkg::AluDstFactorOutLsb +: RowBits]) : '0) +
                    (in_q[TripBits-1] ? (RowBits+2)'(insn_i[vta_pkg::AluDstFactorInLsb +: RowBits]) : '0);
  assign src_last = {1'b0, src_last_q, 1'b0} +
                    (out_q[TripBits-1] ? (RowBits+2)'(insn_i[vta_pkg::AluSrcFactorOutLsb +: RowBits]) : '0) +
                    (in_q[TripBits-1] ? (RowBits+2)'(insn_i[vta_pkg::AluSrcFactorInLsb +: RowBits]) : '0);
  always_ff @(posedge clk_i) begin
    begin_q <= start_i;
    steps_q <= begin_q ? {1'b1, {TripBits-1{1'b0}}} : steps_q >> 1;
    if (begin_q) begin
      out_q <= insn_i[vta_pkg::AluIterOutLsb +: TripBits] - 1'b1;
      in_q <= insn_i[vta_pkg::AluIterInLsb +: TripBits] - 1'b1;
      {dst_over_q, dst_last_q} <= '0;
      {src_over_q, src_last_q} <= '0;
    end else if (steps_q != '0) begin
      out_q <= out_q << 1;
      in_q <= in_q << 1;
      dst_over_q <= dst_over_q || dst_last[RowBits+1:RowBits] != '0;
      src_over_q <= src_over_q || src_last[RowBits+1:RowBits] != '0;
      dst_last_q <= dst_last[RowBits-1:0];
      src_last_q <= src_last[RowBits-1:0];
    end
  end

  // The first pass: the most, and whether all are in the upper bank.
  logic passed_q, stepped_q, ended_q, high_q;
  logic [RowBits-1:0] dst_most_q, src_most_q;
  always_ff @(posedge clk_i) begin
    if (begin_q) begin
      passed_q <= 1'b0;
      stepped_q <= 1'b0;
      high_q <= 1'b1;
      dst_most_q <= '0;
      src_most_q <= '0;
    end else begin
      if (steps_q[0]) stepped_q <= 1'b1;
      if (valid_i) begin
        passed_q <= passed_q || (last_i && !outside_i);
        high_q <= high_q && dst_i[RowBits-1] && (src_i[RowBits-1] || !uses_src);
        if (dst_i > dst_most_q) dst_most_q <= dst_i;
        if (src_i > src_most_q) src_most_q <= src_i;
      end
    end
  end

  logic known_q, over_q;
  logic [RowBits:0] dst_end_q, src_end_q;
  always_ff @(posedge clk_i) begin
    ended_q <= !begin_q && passed_q && stepped_q;
    over_q <= dst_over_q || (uses_src && src_over_q);
    dst_end_q <= {1'b0, dst_most_q} + {1'b0, dst_last_q};
    src_end_q <= !uses_src ? '0 : {1'b0, src_most_q} + {1'b0, src_last_q} + (requant ? (RowBits+1)'(2) : '0);
    known_q <= !start_i && !begin_q && ended_q && !over_q && !dst_end_q[RowBits] && !src_end_q[RowBits] &&
               (high_q || !(dst_end_q[RowBits-1] || src_end_q[RowBits-1]));
  end
  assign known_o = known_q;
  assign bank_o = high_q;
endmodule
