/// The loops of a GEMM or ALU instruction: reads its micro-ops and adds the factors, one micro-op a
/// cycle.
/// Timing: the first micro-op comes out four cycles after start_i (loop, micro-op read, register, index
/// sum); all stages stand still while ready_i is low.
module vta_loop #(
  parameter bit Keeps = 1'b0  // a kernel of up to KernelUops is read from its memory in the first pass only
) (
  input  logic                             clk_i,
  input  logic                             clear_i,
  input  logic                             prepare_i, // start_i may come: the counters take what it would start
  input  logic                             start_i,   // at least one micro-op; with prepare_i
  input  logic [127:0]                     start_insn_i,  // with prepare_i
  input  logic [127:0]                     insn_i,        // the same, from the next cycle on
  output logic                             read_o,
  output logic [vta_pkg::UopIndexBits-1:0] read_row_o,
  input  logic [31:0]                      uop_i,
  output logic                             valid_o,
  output logic                             last_o,
  output logic                             outside_o,  // an index is past its buffer
  output logic [vta_pkg::AccIndexBits-1:0] dst_o,
  output logic [vta_pkg::SrcIndexBits-1:0] src_o,
  output logic [vta_pkg::WgtIndexBits-1:0] wgt_o,
  output logic                             next_valid_o,  // the micro-op that comes out next
  output logic [vta_pkg::AccIndexBits-1:0] next_dst_o,
  output logic [vta_pkg::SrcIndexBits-1:0] next_src_o,
  input  logic                             ready_i,
  // With Keeps.
  output logic                             kept_o,  // the kernel, from its first pass on
  output logic                             first_o, // valid_o is of that
  output logic                             pass_o   // and its last
);
  localparam int UopBits = vta_pkg::UopIndexBits;
  localparam int InpBits = vta_pkg::InpIndexBits;
  localparam int AccBits = vta_pkg::AccIndexBits;
  localparam int SrcBits = vta_pkg::SrcIndexBits;
  localparam int WgtBits = vta_pkg::WgtIndexBits;

  // Stage 0: loop counters, each with a bit that says that it is at its last value.
  logic reads, active_q, advance, u_last_q, i_last_q, o_last_q, one_uop_q, is_alu, hold, stop, load;
  logic [UopBits:0] u_q, begin_q, end_q, start_begin, start_end;
  logic [13:0] i_q, o_q, iter_in_q;
  logic [AccBits:0] dst_offset;
  logic [SrcBits:0] src_offset;
  logic [WgtBits:0] wgt_offset;
  logic [SrcBits-1:0] src_factor_out, src_factor_in;

  assign advance = active_q && !hold;
  assign load = prepare_i && !active_q;
  assign read_o = advance && reads;
  assign read_row_o = u_q[UopBits-1:0];
  assign is_alu = insn_i[2:0] == vta_pkg::OP_ALU;
  assign src_factor_out = is_alu ? SrcBits'(insn_i[vta_pkg::AluSrcFactorOutLsb +: AccBits]) :
                          SrcBits'(insn_i[vta_pkg::GemmSrcFactorOutLsb +: InpBits]);
  assign src_factor_in = is_alu ? SrcBits'(insn_i[vta_pkg::AluSrcFactorInLsb +: AccBits]) :
                         SrcBits'(insn_i[vta_pkg::GemmSrcFactorInLsb +: InpBits]);

  vta_offset #(.Bits(AccBits)) u_dst (
    .clk_i, .start_i(load), .next_in_i(advance && u_last_q),
    .next_out_i(advance && u_last_q && i_last_q),
    .factor_out_i(insn_i[vta_pkg::GemmDstFactorOutLsb +: AccBits]),
    .factor_in_i(insn_i[vta_pkg::GemmDstFactorInLsb +: AccBits]), .offset_o(dst_offset)
  );
  vta_offset #(.Bits(SrcBits)) u_src (
    .clk_i, .start_i(load), .next_in_i(advance && u_last_q),
    .next_out_i(advance && u_last_q && i_last_q), .factor_out_i(src_factor_out),
    .factor_in_i(src_factor_in), .offset_o(src_offset)
  );
  vta_offset #(.Bits(WgtBits)) u_wgt (
    .clk_i, .start_i(load), .next_in_i(advance && u_last_q),
    .next_out_i(advance && u_last_q && i_last_q),
    .factor_out_i(insn_i[vta_pkg::GemmWgtFactorOutLsb +: WgtBits]),
    .factor_in_i(insn_i[vta_pkg::GemmWgtFactorInLsb +: WgtBits]), .offset_o(wgt_offset)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i || stop) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (advance && u_last_q && i_last_q && o_last_q) active_q <= 1'b0;
  end

  assign start_begin = (UopBits+1)'(start_insn_i[vta_pkg::GemmUopBeginLsb +: UopBits]);
  assign start_end = start_insn_i[vta_pkg::GemmUopEndLsb +: UopBits+1];
  always_ff @(posedge clk_i) begin
    if (advance) begin
      if (u_last_q && i_last_q) begin
        o_last_q <= o_q == 14'd2;
        o_q <= o_q - 14'd1;
      end
      if (u_last_q) begin
        i_last_q <= i_last_q ? iter_in_q == 14'd1 : i_q == 14'd2;
        i_q <= i_last_q ? iter_in_q : i_q - 14'd1;
      end
      u_last_q <= u_last_q ? one_uop_q : u_q + (UopBits+1)'(2) == end_q;
      u_q <= u_last_q ? begin_q : u_q + 1'b1;
    end
    if (load) begin
      u_q <= start_begin;
      begin_q <= start_begin;
      end_q <= start_end;
      u_last_q <= start_begin + 1'b1 == start_end;
      one_uop_q <= start_begin + 1'b1 == start_end;
      i_q <= start_insn_i[vta_pkg::GemmIterInLsb +: 14];
      iter_in_q <= start_insn_i[vta_pkg::GemmIterInLsb +: 14];
      i_last_q <= start_insn_i[vta_pkg::GemmIterInLsb +: 14] == 14'd1;
      o_q <= start_insn_i[vta_pkg::GemmIterOutLsb +: 14];
      o_last_q <= start_insn_i[vta_pkg::GemmIterOutLsb +: 14] == 14'd1;
    end
  end

  // Stage 1: the memory reads the micro-op. Stage 2: it is in a register.
  logic valid1_q, last1_q, outside1_q, valid2_q, last2_q, outside2_q;
  logic [AccBits:0] dst1_q, dst2_q;
  logic [SrcBits:0] src1_q, src2_q;
  logic [WgtBits:0] wgt1_q, wgt2_q;
  logic [31:0] uop, uop_q;
  // Stage 3: the sums.
  logic valid3_q, last3_q, outside3_q;
  logic [AccBits-1:0] dst3_q;
  logic [SrcBits-1:0] src3_q;
  logic [WgtBits-1:0] wgt3_q;

  logic [AccBits:0] dst_sum;
  logic [SrcBits:0] src_sum;
  logic [WgtBits:0] wgt_sum;
  logic dst_outside, src_outside, wgt_outside, uses_src, uses_wgt, is_requant, src_past;

  assign hold = valid3_q && !ready_i;
  assign stop = valid3_q && ready_i && outside3_q;
  assign dst_sum = {1'b0, uop_q[vta_pkg::UopDstLsb +: AccBits]} + {1'b0, dst2_q[AccBits-1:0]};
  assign src_sum = {1'b0, uop_q[vta_pkg::UopSrcLsb +: SrcBits]} + {1'b0, src2_q[SrcBits-1:0]};
  assign wgt_sum = {1'b0, uop_q[vta_pkg::UopWgtLsb +: WgtBits]} + {1'b0, wgt2_q[WgtBits-1:0]};
  assign is_requant = is_alu && vta_pkg::AluOpBlock[insn_i[vta_pkg::AluAluOpcodeLsb +: 3]];
  assign uses_src = is_alu ? !insn_i[vta_pkg::AluUseImmLsb] : !insn_i[vta_pkg::GemmResetLsb];
  assign uses_wgt = !is_alu && !insn_i[vta_pkg::GemmResetLsb];
  // Depths are powers of two; a requant parameter block is three rows.
  assign src_past = is_alu ? src_sum[SrcBits:AccBits] != '0 || (is_requant && src_sum[AccBits-1:1] == '1) :
                    src_sum[SrcBits:InpBits] != '0;
  assign dst_outside = dst2_q[AccBits] || dst_sum[AccBits];
  assign src_outside = uses_src && (src2_q[SrcBits] || src_past);
  assign wgt_outside = uses_wgt && (wgt2_q[WgtBits] || wgt_sum[WgtBits]);

  always_ff @(posedge clk_i) begin
    if (clear_i || stop) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
    end else if (!hold) begin
      valid1_q <= active_q;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!hold) begin
      if (active_q) begin
        last1_q <= u_last_q && i_last_q && o_last_q;
        outside1_q <= u_q[UopBits];
        dst1_q <= dst_offset;
        src1_q <= src_offset;
        wgt1_q <= wgt_offset;
      end else begin
        {last1_q, outside1_q, dst1_q, src1_q, wgt1_q} <= 'x;
      end
      if (valid1_q) begin
        uop_q <= uop;
        last2_q <= last1_q;
        outside2_q <= outside1_q;
        dst2_q <= dst1_q;
        src2_q <= src1_q;
        wgt2_q <= wgt1_q;
      end else begin
        {uop_q, last2_q, outside2_q, dst2_q, src2_q, wgt2_q} <= 'x;
      end
      if (valid2_q) begin
        last3_q <= last2_q;
        outside3_q <= outside2_q || dst_outside || src_outside || wgt_outside;
        dst3_q <= dst_sum[AccBits-1:0];
        src3_q <= src_sum[SrcBits-1:0];
        wgt3_q <= wgt_sum[WgtBits-1:0];
      end else begin
        {last3_q, outside3_q, dst3_q, src3_q, wgt3_q} <= 'x;
      end
    end
  end

  if (Keeps) begin : g_kernel
    localparam int Kept = vta_pkg::KernelUops;
    localparam int KeptBits = $clog2(Kept);
    logic [31:0] kernel [0:Kept-1];
    logic [KeptBits-1:0] place1_q;
    logic fits_q, first_q, first1_q, first2_q, first3_q, pass1_q, pass2_q, pass3_q;
    assign reads = first_q || !fits_q;
    assign uop = first1_q || !fits_q ? uop_i : kernel[place1_q];
    always_ff @(posedge clk_i) begin
      if (start_i) begin
        fits_q <= start_end - start_begin <= (UopBits+1)'(Kept);
        first_q <= 1'b1;
      end else if (advance && u_last_q) begin
        first_q <= 1'b0;
      end
      if (valid1_q && first1_q) kernel[place1_q] <= uop_i;
      if (!hold) begin
        place1_q <= u_q[KeptBits-1:0];
        {first1_q, pass1_q} <= {first_q, u_last_q};
        {first2_q, pass2_q} <= {first1_q, pass1_q};
        {first3_q, pass3_q} <= {first2_q, pass2_q};
      end
    end
    assign kept_o = fits_q;
    assign first_o = first3_q;
    assign pass_o = pass3_q;
  end else begin : g_memory
    assign reads = 1'b1;
    assign uop = uop_i;
    assign {kept_o, first_o, pass_o} = '0;
  end

  assign valid_o = valid3_q;
  assign last_o = last3_q;
  assign outside_o = outside3_q;
  assign dst_o = dst3_q;
  assign src_o = src3_q;
  assign wgt_o = wgt3_q;
  assign next_valid_o = valid2_q;
  assign next_dst_o = dst_sum[AccBits-1:0];
  assign next_src_o = src_sum[SrcBits-1:0];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i && start_i) assert (load);
  end
`endif
endmodule
