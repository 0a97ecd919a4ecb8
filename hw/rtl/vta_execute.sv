/// Runs micro-ops on the accumulator: reads operands, multiplies or takes the ALU operand, writes the
/// result to the accumulator and its low bytes to OUT. Results are forwarded, so a micro-op may read
/// what the one before it writes; mul and requant, which take longer, wait for such rows instead.
/// The micro-ops of the next instruction may follow while the last ones are still inside: each stage
/// knows what it is to do.
/// Timing: one micro-op a cycle; its result is written six cycles after it comes in, mul and requant
/// LongStages later. Source: isa/spec/timing.h.
module vta_execute #(
  parameter bit Gemm = 1'b1,  // runs GEMM
  parameter bit Alu = 1'b1,   // runs ALU
  localparam int Banks = vta_pkg::AccBanks
) (
  input  logic                              clk_i,
  input  logic                              clear_i,
  input  logic                              start_i,  // of an instruction
  input  logic [127:0]                      insn_i,   // with start_i; its micro-ops come later
  input  logic                              double_i,
  // Micro-ops.
  input  logic                              valid_i,
  input  logic                              last_i,
  input  logic                              outside_i,
  input  logic [vta_pkg::AccIndexBits-1:0]  dst_i,
  input  logic [vta_pkg::SrcIndexBits-1:0]  src_i,
  input  logic                              next_valid_i,  // the one behind, of the same instruction
  input  logic [vta_pkg::AccIndexBits-1:0]  next_dst_i,
  input  logic [vta_pkg::SrcIndexBits-1:0]  next_src_i,
  output logic                              ready_o,
  input  logic                              wait_i,        // its accumulator row is not to be read yet
  output logic                              mac_read_o,  // read the operands of the micro-op
  input  logic [vta_pkg::InpBits-1:0]       inp_i,       // that went two cycles ago
  input  logic [vta_pkg::WgtBits-1:0]       wgt_i,
  // Accumulator.
  output logic                              read_dst_o,
  output logic                              read_src_o,
  output logic [vta_pkg::AccIndexBits-1:0]  read_dst_row_o,
  output logic [vta_pkg::AccIndexBits-1:0]  read_src_row_o,
  input  logic [Banks*vta_pkg::AccBits-1:0] acc_dst_i,   // by bank
  input  logic [Banks*vta_pkg::AccBits-1:0] acc_src_i,
  output logic                              write_o,
  output logic [vta_pkg::AccIndexBits-1:0]  write_row_o,
  output logic [vta_pkg::AccBits-1:0]       write_data_o,
  output logic                              write_gemm_o,
  output logic                              write_mac_o,  // GEMM without reset
  input  logic [38:0]                       lut_i,        // a part of its table: written, which one, its bytes
  output logic                              ending_o,  // done_o comes in ExecuteOverlapCycles (of a long
                                                       // operation LongOverlapCycles), without fault
  output logic                              leaving_o, // in the next cycle done_o comes in ReleaseCycles
  output logic                              done_o,
  output logic                              failed_o     // instead of done_o: an index out of range
);
  localparam int RowBits = vta_pkg::AccIndexBits;
  localparam int AccBits = vta_pkg::AccBits;
  localparam int Lanes = vta_pkg::Lanes;
  localparam int Long = vta_pkg::LongStages;
  localparam int Certain = Long + 1 - vta_pkg::LongOverlapCycles;  // stage
  localparam bit OnePort = Alu && vta_pkg::AluReadPorts == 1;
  localparam bit HasLong = Alu && vta_pkg::HasLong != 0;
  localparam bit HasRequant = Alu && vta_pkg::Requant != 0;

  // What a step in the pipeline is to do.
  typedef struct packed {
    logic last;
    logic fault;
    logic gemm;
    logic reset;
    logic overwrite;
    logic imm;      // an immediate operand
    logic two;      // an operand that was read a step earlier
    logic long_op;  // mul, requant or lut
    logic requant;  // or lut
    logic [2:0] op;
    logic [1:0] index;  // of a row of the requant parameter block
    logic [RowBits-1:0] dst;
    logic [RowBits-1:0] src;
  } step_t;

  // The instruction.
  logic gemm_q, reset_q, overwrite_q, imm_q, two_q, long_q, requant_q, start_gemm, start_imm, start_requant;
  logic [2:0] op_q, start_op;
  logic [15:0] value_q;
  always_comb begin
    {start_gemm, start_imm, start_op, start_requant} = 'x;
    if (start_i) begin
      start_gemm = Gemm && (!Alu || insn_i[2:0] == vta_pkg::OP_GEMM);
      start_imm = !start_gemm && insn_i[vta_pkg::AluUseImmLsb];
      start_op = start_gemm ? vta_pkg::ALU_ADD : insn_i[vta_pkg::AluAluOpcodeLsb +: 3];
      start_requant = HasRequant && !start_gemm && vta_pkg::AluOpBlock[start_op];
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      gemm_q <= start_gemm;
      reset_q <= start_gemm && insn_i[vta_pkg::GemmResetLsb];
      overwrite_q <= vta_pkg::Overwrite != 0 && start_gemm && insn_i[vta_pkg::GemmOverwriteLsb];
      imm_q <= start_imm;
      two_q <= OnePort && !start_gemm && !start_imm && !start_requant;
      long_q <= HasLong && !start_gemm && vta_pkg::AluOpLong[start_op];
      requant_q <= start_requant;
      op_q <= start_op;
      value_q <= insn_i[vta_pkg::AluImmLsb +: 16];
    end
  end

  // What goes into stage 1: a micro-op, the early read of its src (one port), or a row of the requant
  // parameter block. Stages 1 to 3 read and multiply; stage 4 selects operands, stage 5 operates.
  logic go_main, go_early, go_block, hazard, busy_long;
  logic early_q, block_ok_q;  // the block of this src is there
  logic [1:0] block_count_q;
  logic [4:0] main_q, early_stages_q, block_q;  // stages 1 to 5
  logic [4:2] early, block, some;  // what the config has of them; any
  step_t step, s1_q, s2_q, s3_q, s4_q, s5_q;
  logic [Long:0] long_main, long_last, long_fault;  // stages of a long operation, from stage 5 on
  logic [(Long+1)*RowBits-1:0] long_dst;

  always_comb begin
    {go_main, go_early, go_block} = '0;
    if (valid_i) begin
      if (outside_i) go_main = 1'b1;
      else if (requant_q && !block_ok_q) go_block = block_count_q != 2'd0 || !busy_long;
      else if (hazard || wait_i) go_main = 1'b0;
      else if (OnePort && two_q && !early_q) go_early = 1'b1;
      else go_main = 1'b1;
    end
  end
  assign ready_o = go_main;
  // The last one of a short operation goes, for which there are no hazards.
  logic last_goes;
  assign last_goes = valid_i && last_i && !outside_i && !long_q && !wait_i && !(OnePort && two_q && !early_q);
  assign mac_read_o = valid_i && gemm_q && !reset_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      early_q <= 1'b0;
      block_ok_q <= 1'b0;
      block_count_q <= 2'd0;
    end else begin
      if (go_early) early_q <= 1'b1;
      else if (go_main) early_q <= 1'b0;
      if (go_block) block_count_q <= block_count_q == 2'd2 ? 2'd0 : block_count_q + 2'd1;
      if (!valid_i || go_main) block_ok_q <= valid_i && next_src_i == src_i;
      else if (go_block && block_count_q == 2'd2) block_ok_q <= 1'b1;
    end
  end

  // Long operations whose result a micro-op that goes now could not read: those that went up to
  // LongStages cycles ago. Where a micro-op comes in, its rows are held against theirs; they move on,
  // and so do the bits that say so.
  if (HasLong) begin : g_hazard
    logic [Long:0] recent;           // by cycles since it went
    logic [(Long+1)*RowBits-1:0] recent_dst;
    logic [Long:1] meets_q;
    always_comb begin
      {recent, recent_dst} = 'x;
      if (long_q) begin
        recent = {long_main[Long-5:0], main_q[3:0] & {s4_q.long_op, s3_q.long_op, s2_q.long_op,
                  s1_q.long_op}, go_main};
        recent_dst = {long_dst[0 +: (Long-4)*RowBits], s4_q.dst, s3_q.dst, s2_q.dst, s1_q.dst, dst_i};
      end
    end
    always_ff @(posedge clk_i) begin
      if (clear_i || !long_q) meets_q <= '0;
      else begin
        for (int i = 0; i < Long; i++) begin
          if (!valid_i || go_main) begin
            meets_q[i+1] <= next_valid_i && recent[i] &&
                            (recent_dst[i*RowBits +: RowBits] == next_dst_i ||
                             (!requant_q && !imm_q &&
                              recent_dst[i*RowBits +: RowBits] == RowBits'(next_src_i)));
          end else begin
            meets_q[i+1] <= i > 0 && meets_q[i > 0 ? i : 1];
          end
        end
      end
    end
    assign hazard = meets_q != '0;
    assign busy_long = recent[Long:1] != '0;
    assign ending_o = last_goes || (long_main[Certain] && long_last[Certain] && !long_fault[Certain]);
  end else begin : g_no_hazard
    assign hazard = 1'b0;
    assign busy_long = 1'b0;
    assign ending_o = last_goes;
  end
  // A sum of its own: in a concatenation Yosys takes that of a narrowed operand as wide as the operand was.
  logic [RowBits-1:0] src;
  assign src = RowBits'(src_i) + RowBits'(block_count_q);
  always_comb begin
    step = 'x;
    if (valid_i)  // in the order of step_t
      step = {last_i, outside_i, gemm_q, reset_q, overwrite_q, imm_q, two_q, long_q, requant_q, op_q, block_count_q, dst_i, src};
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      main_q <= '0;
      early_stages_q <= '0;
      block_q <= '0;
    end else begin
      main_q <= {main_q[3:0], go_main};
      early_stages_q <= {early_stages_q[3:0], go_early};
      block_q <= {block_q[3:0], go_block};
    end
  end
  assign early = OnePort ? early_stages_q[4:2] : '0;
  assign block = HasRequant ? block_q[4:2] : '0;
  assign some = main_q[4:2] | early | block;
  logic [15:0] value1_q, value2_q, value3_q, value4_q;  // goes along with what uses it
  always_ff @(posedge clk_i) begin
    s1_q <= step;
    s2_q <= s1_q;
    s3_q <= s2_q;
    s4_q <= s3_q;
    s5_q <= s4_q;
    value1_q <= value_q;
    value2_q <= value1_q;
    value3_q <= value2_q;
    value4_q <= value3_q;
  end

  // Stages 2 to 4: the products.
  logic [AccBits-1:0] mac_sum;
  if (Gemm) begin : g_mac
    vta_mac u_mac (
      .clk_i, .valid_i({main_q[3] && s4_q.gemm && !s4_q.reset, main_q[2] && s3_q.gemm && !s3_q.reset,
                        main_q[1] && s2_q.gemm && !s2_q.reset}),
      .inp_i, .wgt_i, .sum_o(mac_sum)
    );
  end else begin : g_no_mac
    logic unused_operands;
    assign unused_operands = (^inp_i) ^ (^wgt_i);
    assign mac_sum = '0;
  end

  // Stage 3: accumulator rows.
  logic reads_src;
  assign reads_src = early[2] || block[2] ||
                     (main_q[2] && !s3_q.gemm && !s3_q.imm && !s3_q.two);
  assign read_dst_o = (main_q[2] && !s3_q.fault) || (OnePort && reads_src);
  assign read_src_o = reads_src;
  assign read_dst_row_o = OnePort && !main_q[2] ? s3_q.src : s3_q.dst;
  assign read_src_row_o = s3_q.src;

  // What is calculated in this cycle, what in the last one and in the one before that.
  logic result_valid, write_q;
  logic [RowBits-1:0] result_row, write_row_q;
  logic [Lanes-1:0] keep, keep_q;  // the first operand is the result
  logic [AccBits-1:0] other, kept_q, other_q, write_data, back_data_q;

  // Stage 4: newer values of the rows replace what the memory gave; what is calculated in this cycle
  // does so in the next one.
  logic dst_new_q, dst_back_q, src_new_q, src_back_q;  // of stage 4: is written, was written
  logic dst_forward, src_forward;                      // of stage 5: was calculated a cycle ago
  logic [AccBits-1:0] row_a, row_b, a_q, b_q, a, b;
  always_ff @(posedge clk_i) begin
    {dst_new_q, src_new_q, dst_back_q, src_back_q} <= 'x;
    if (some[2]) begin
      dst_new_q <= result_valid && result_row == s3_q.dst;
      src_new_q <= result_valid && result_row == s3_q.src;
      dst_back_q <= write_q && write_row_q == s3_q.dst;
      src_back_q <= write_q && write_row_q == s3_q.src;
    end
  end
  always_comb begin
    {dst_forward, src_forward} = 'x;
    if (some[3]) begin
      dst_forward = result_valid && result_row == s4_q.dst && !s4_q.overwrite;
      src_forward = result_valid && result_row == s4_q.src &&
                    (early[3] || block[3] || !(s4_q.gemm || s4_q.imm || s4_q.two));
    end
  end
  // A lane needs them at once, and all lanes together lie far apart: each has its own.
`ifdef SYNTHESIS
  localparam int Copies = Lanes;
`else
  localparam int Copies = 1;
`endif
  logic [Copies-1:0] dst_forward_q, src_forward_q, shift_q, subtract_q, least_q;
  for (genvar c = 0; c < Copies; c++) begin : g_copy
    vta_copy #(.Width(5)) u_copy (
      .clk_i, .data_i({dst_forward, src_forward, s4_q.op == vta_pkg::ALU_SHR,
                       s4_q.op == vta_pkg::ALU_MIN || s4_q.op == vta_pkg::ALU_MAX, s4_q.op == vta_pkg::ALU_MIN}),
      .data_o({dst_forward_q[c], src_forward_q[c], shift_q[c], subtract_q[c], least_q[c]})
    );
  end
  // What the row's bank gave.
  logic dst_high, src_high;
  logic [AccBits-1:0] read_a, read_b;
  assign dst_high = Banks == 2 && s4_q.dst[RowBits-1];
  assign src_high = Banks == 2 && s4_q.src[RowBits-1];
  assign read_a = acc_dst_i[(dst_high ? Banks - 1 : 0)*AccBits +: AccBits];
  assign read_b = OnePort ? acc_dst_i[(src_high ? Banks - 1 : 0)*AccBits +: AccBits] :
                  acc_src_i[(src_high ? Banks - 1 : 0)*AccBits +: AccBits];
  always_comb begin
    row_a = 'x;
    row_b = 'x;
    if (main_q[3]) row_a = dst_new_q ? write_data : dst_back_q ? back_data_q : read_a;
    if (early[3] || block[3] || (main_q[3] && !s4_q.gemm && !s4_q.imm && !s4_q.two))
      row_b = src_new_q ? write_data : src_back_q ? back_data_q : read_b;
  end
  always_ff @(posedge clk_i) begin
    if (main_q[3]) a_q <= s4_q.overwrite ? '0 : row_a;  // the sum with 0 is the product
    if (main_q[3] && s4_q.gemm) b_q <= mac_sum;
    else if (main_q[3] && s4_q.imm) b_q <= {Lanes{32'($signed(value4_q))}};
    else if (early[3] || block[3] || (main_q[3] && !s4_q.two)) b_q <= row_b;
    else if (OnePort && early[4]) b_q <= b;
  end

  // Stage 5: the operation.
  logic [AccBits-1:0] long_result, no_result;  // the long one or, for a reset, zeros
  logic long_ends, short_ends;
  assign long_ends = long_main[Long];
  assign short_ends = main_q[4] && !s5_q.long_op;
  always_comb begin
    {write_data, a, b} = 'x;
    if (write_q) begin
      for (int l = 0; l < Lanes; l++)
        write_data[l*32 +: 32] = keep_q[l] ? kept_q[l*32 +: 32] : other_q[l*32 +: 32];
    end
    if (some[4]) begin
      for (int l = 0; l < Lanes; l++) begin
        a[l*32 +: 32] = dst_forward_q[Copies == 1 ? 0 : l] ? write_data[l*32 +: 32] : a_q[l*32 +: 32];
        b[l*32 +: 32] = src_forward_q[Copies == 1 ? 0 : l] ? write_data[l*32 +: 32] : b_q[l*32 +: 32];
      end
    end
  end
  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    localparam int Copy = Copies == 1 ? 0 : l;
    if (Alu) begin : g_alu
      vta_alu u_alu (
        .valid_i(short_ends && !s5_q.reset), .shift_i(shift_q[Copy]),
        .subtract_i(subtract_q[Copy]), .least_i(least_q[Copy]), .a_i(a[l*32 +: 32]), .b_i(b[l*32 +: 32]),
        .else_i(no_result[l*32 +: 32]), .keep_o(keep[l]), .other_o(other[l*32 +: 32])
      );
    end else begin : g_add
      logic unused_copy;
      assign unused_copy = shift_q[Copy] ^ subtract_q[Copy] ^ least_q[Copy];
      assign keep[l] = 1'b0;
      assign other[l*32 +: 32] = short_ends && !s5_q.reset ? a[l*32 +: 32] + b[l*32 +: 32] : no_result[l*32 +: 32];
    end
  end

  if (HasLong) begin : g_long
    vta_long #(.Requant(HasRequant)) u_long (
      .clk_i, .clear_i, .start_i, .double_i, .block_i(block[4]), .index_i(s5_q.index),
      .valid_i(main_q[4] && s5_q.long_op), .requant_i(s5_q.requant), .looks_i(s5_q.op == vta_pkg::ALU_LUT), .lut_i, .last_i(s5_q.last),
      .fault_i(s5_q.fault), .dst_i(s5_q.dst), .a_i(a), .b_i(b), .valid_o(long_main),
      .last_o(long_last), .fault_o(long_fault), .dst_o(long_dst), .result_o(long_result)
    );
  end else begin : g_short
    logic unused_lut;
    assign unused_lut = ^lut_i;
    assign {long_result, long_main, long_last, long_fault, long_dst} = '0;
  end

  logic ends_fault, ends_last, write_gemm_q, write_mac_q, done_q, failed_q;
  assign ends_fault = long_ends ? long_fault[Long] : s5_q.fault;
  assign ends_last = long_ends ? long_last[Long] : s5_q.last;
  assign result_valid = (long_ends || short_ends) && !ends_fault;
  assign result_row = long_ends ? long_dst[Long*RowBits +: RowBits] : s5_q.dst;
  assign no_result = long_ends ? long_result : '0;

  // Stage 6: the write.
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      write_q <= 1'b0;
      done_q <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      write_q <= result_valid;
      done_q <= result_valid && ends_last;
      failed_q <= (long_ends || short_ends) && ends_fault;
    end
  end
  always_ff @(posedge clk_i) begin
    if (result_valid) begin
      write_row_q <= result_row;
      keep_q <= keep;
      kept_q <= a;
      other_q <= other;
    end
    if (write_q) back_data_q <= write_data;
    write_gemm_q <= result_valid && !long_ends && s5_q.gemm;
    write_mac_q <= result_valid && !long_ends && s5_q.gemm && !s5_q.reset;
  end
  // Its last row is written before what goes in the next cycle reads.
  assign leaving_o = (main_q[2] && s3_q.last && !s3_q.long_op) || (long_main[Long-2] && long_last[Long-2]);
  assign write_o = write_q;
  assign write_row_o = write_row_q;
  assign write_data_o = write_data;
  assign {write_gemm_o, write_mac_o} = {write_gemm_q, write_mac_q};
  assign done_o = done_q;
  assign failed_o = failed_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i) begin
      assert (!(long_ends && short_ends));
      if (last_goes) assert (go_main);
    end
  end
`endif
endmodule
