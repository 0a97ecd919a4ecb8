/// The loops of a GEMM or ALU instruction: reads its micro-ops and adds the factors, one micro-op a
/// cycle.
/// Timing: the first micro-op comes out three cycles after start_i (loop, micro-op read, index sum);
/// all stages stand still while ready_i is low.
module vta_loop (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic                             start_i,   // at least one micro-op
  input  logic [127:0]                     insn_i,    // from the cycle of start_i on
  output logic                             read_o,
  output logic [vta_pkg::UopIndexBits-1:0] read_row_o,
  input  logic [31:0]                      uop_i,
  output logic                             valid_o,
  output logic                             last_o,
  output logic                             outside_o,  // an index is past its buffer
  output logic [vta_pkg::AccIndexBits-1:0] dst_o,
  output logic [vta_pkg::SrcIndexBits-1:0] src_o,
  output logic [vta_pkg::WgtIndexBits-1:0] wgt_o,
  input  logic                             ready_i
);
  localparam int UopBits = vta_pkg::UopIndexBits;
  localparam int AccBits = vta_pkg::AccIndexBits;
  localparam int SrcBits = vta_pkg::SrcIndexBits;
  localparam int WgtBits = vta_pkg::WgtIndexBits;

  // Stage 0: loop counters.
  logic active_q, advance, u_last, i_last, o_last, is_alu;
  logic [UopBits:0] u_q, begin_q, end_q;
  logic [13:0] i_q, o_q, iter_in_q;
  logic [AccBits:0] dst_offset;
  logic [SrcBits:0] src_offset;
  logic [WgtBits:0] wgt_offset;
  logic [SrcBits-1:0] src_factor_out, src_factor_in;
  logic stop;

  assign advance = active_q && (ready_i || !valid_o);
  assign u_last = u_q + 1'b1 == end_q;
  assign i_last = i_q == 14'd1;
  assign o_last = o_q == 14'd1;
  assign read_o = advance;
  assign read_row_o = u_q[UopBits-1:0];
  assign is_alu = insn_i[2:0] == vta_pkg::OP_ALU;
  assign src_factor_out = is_alu ? SrcBits'(insn_i[vta_pkg::AluSrcFactorOutLsb +: AccBits]) :
                          SrcBits'(insn_i[vta_pkg::GemmSrcFactorOutLsb +: vta_pkg::InpIndexBits]);
  assign src_factor_in = is_alu ? SrcBits'(insn_i[vta_pkg::AluSrcFactorInLsb +: AccBits]) :
                         SrcBits'(insn_i[vta_pkg::GemmSrcFactorInLsb +: vta_pkg::InpIndexBits]);

  vta_offset #(.Bits(AccBits)) u_dst (
    .clk_i, .start_i, .next_in_i(advance && u_last), .next_out_i(advance && u_last && i_last),
    .factor_out_i(insn_i[vta_pkg::GemmDstFactorOutLsb +: AccBits]),
    .factor_in_i(insn_i[vta_pkg::GemmDstFactorInLsb +: AccBits]), .offset_o(dst_offset)
  );
  vta_offset #(.Bits(SrcBits)) u_src (
    .clk_i, .start_i, .next_in_i(advance && u_last), .next_out_i(advance && u_last && i_last),
    .factor_out_i(src_factor_out), .factor_in_i(src_factor_in), .offset_o(src_offset)
  );
  vta_offset #(.Bits(WgtBits)) u_wgt (
    .clk_i, .start_i, .next_in_i(advance && u_last), .next_out_i(advance && u_last && i_last),
    .factor_out_i(insn_i[vta_pkg::GemmWgtFactorOutLsb +: WgtBits]),
    .factor_in_i(insn_i[vta_pkg::GemmWgtFactorInLsb +: WgtBits]), .offset_o(wgt_offset)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (clear_i || stop) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (advance && u_last && i_last && o_last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      u_q <= (UopBits+1)'(insn_i[vta_pkg::GemmUopBeginLsb +: UopBits]);
      begin_q <= (UopBits+1)'(insn_i[vta_pkg::GemmUopBeginLsb +: UopBits]);
      end_q <= insn_i[vta_pkg::GemmUopEndLsb +: UopBits+1];
      i_q <= insn_i[vta_pkg::GemmIterInLsb +: 14];
      iter_in_q <= insn_i[vta_pkg::GemmIterInLsb +: 14];
      o_q <= insn_i[vta_pkg::GemmIterOutLsb +: 14];
    end else if (advance) begin
      u_q <= u_last ? begin_q : u_q + 1'b1;
      if (u_last) i_q <= i_last ? iter_in_q : i_q - 14'd1;
      if (u_last && i_last) o_q <= o_q - 14'd1;
    end
  end

  // Stage 1: the micro-op arrives.
  logic valid1_q, last1_q, outside1_q;
  logic [AccBits:0] dst1_q;
  logic [SrcBits:0] src1_q;
  logic [WgtBits:0] wgt1_q;
  // Stage 2: the sums.
  logic valid2_q, last2_q, outside2_q;
  logic [AccBits-1:0] dst2_q;
  logic [SrcBits-1:0] src2_q;
  logic [WgtBits-1:0] wgt2_q;

  logic [AccBits:0] dst_sum;
  logic [SrcBits:0] src_sum;
  logic [WgtBits:0] wgt_sum;
  logic dst_outside, src_outside, wgt_outside, uses_src, uses_wgt, is_requant, hold;
  logic [SrcBits:0] src_limit;

  assign hold = valid2_q && !ready_i;
  assign stop = valid2_q && ready_i && outside2_q;
  assign dst_sum = {1'b0, uop_i[vta_pkg::UopDstLsb +: AccBits]} + {1'b0, dst1_q[AccBits-1:0]};
  assign src_sum = {1'b0, uop_i[vta_pkg::UopSrcLsb +: SrcBits]} + {1'b0, src1_q[SrcBits-1:0]};
  assign wgt_sum = {1'b0, uop_i[vta_pkg::UopWgtLsb +: WgtBits]} + {1'b0, wgt1_q[WgtBits-1:0]};
  assign is_requant = is_alu && vta_pkg::Requant != 0 &&
                      insn_i[vta_pkg::AluAluOpcodeLsb +: 3] == vta_pkg::ALU_REQUANT;
  assign uses_src = is_alu ? !insn_i[vta_pkg::AluUseImmLsb] : !insn_i[vta_pkg::GemmResetLsb];
  assign uses_wgt = !is_alu && !insn_i[vta_pkg::GemmResetLsb];
  // The first index that is past the buffer.
  assign src_limit = is_requant ? (SrcBits+1)'(vta_pkg::AccDepth - 2) :
                     is_alu ? (SrcBits+1)'(vta_pkg::AccDepth) : (SrcBits+1)'(vta_pkg::InpDepth);
  assign dst_outside = dst1_q[AccBits] || dst_sum[AccBits];
  assign src_outside = uses_src && (src1_q[SrcBits] || src_sum >= src_limit);
  assign wgt_outside = uses_wgt && (wgt1_q[WgtBits] || wgt_sum[WgtBits]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else if (clear_i || stop) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else if (!hold) begin
      valid1_q <= active_q;
      valid2_q <= valid1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!hold) begin
      last1_q <= u_last && i_last && o_last;
      outside1_q <= u_q[UopBits];
      dst1_q <= dst_offset;
      src1_q <= src_offset;
      wgt1_q <= wgt_offset;
      last2_q <= last1_q;
      outside2_q <= outside1_q || dst_outside || src_outside || wgt_outside;
      dst2_q <= dst_sum[AccBits-1:0];
      src2_q <= src_sum[SrcBits-1:0];
      wgt2_q <= wgt_sum[WgtBits-1:0];
    end
  end

  assign valid_o = valid2_q;
  assign last_o = last2_q;
  assign outside_o = outside2_q;
  assign dst_o = dst2_q;
  assign src_o = src2_q;
  assign wgt_o = wgt2_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i) assert (!active_q);
  end
`endif
endmodule
