/// Runs micro-ops on the accumulator: reads operands, multiplies or takes the ALU operand, writes the
/// result to the accumulator and its low bytes to OUT. Results are forwarded, so a micro-op may read
/// what the one before it writes; mul and requant, which take longer, wait for such rows instead.
/// The micro-ops of the next instruction may follow while the last ones are still inside: each stage
/// knows what it is to do.
/// Timing: one micro-op a cycle; its result is written three cycles after it comes in, mul and requant
/// LongStages later. Source: isa/spec/timing.h.
module vta_execute (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              clear_i,
  input  logic                              start_i,  // of an instruction
  input  logic [127:0]                      insn_i,   // whose micro-ops come in
  input  logic                              double_i,
  // Micro-ops.
  input  logic                              valid_i,
  input  logic                              last_i,
  input  logic                              outside_i,
  input  logic [vta_pkg::AccIndexBits-1:0]  dst_i,
  input  logic [vta_pkg::SrcIndexBits-1:0]  src_i,
  output logic                              ready_o,
  output logic                              mac_read_o,  // read the operands of the micro-op that goes
  input  logic [vta_pkg::InpBits-1:0]       inp_i,       // in the next cycle
  input  logic [vta_pkg::WgtBits-1:0]       wgt_i,
  // Accumulator.
  output logic                              read_o,
  output logic [vta_pkg::AccIndexBits-1:0]  read_dst_o,
  output logic [vta_pkg::AccIndexBits-1:0]  read_src_o,
  input  logic [vta_pkg::AccBits-1:0]       acc_dst_i,
  input  logic [vta_pkg::AccBits-1:0]       acc_src_i,
  output logic                              write_o,
  output logic [vta_pkg::AccIndexBits-1:0]  write_row_o,
  output logic [vta_pkg::AccBits-1:0]       write_data_o,
  output logic                              write_gemm_o,
  output logic                              write_mac_o,  // GEMM without reset
  output logic                              ending_o,  // done_o comes in three cycles (of a long
                                                       // operation LongOverlapCycles), without fault
  output logic                              done_o,
  output logic                              fault_o      // with done_o
);
  localparam int RowBits = vta_pkg::AccIndexBits;
  localparam int AccBits = vta_pkg::AccBits;
  localparam int Lanes = vta_pkg::Lanes;
  localparam int Long = vta_pkg::HasLong != 0 ? vta_pkg::LongStages : 1;
  localparam int Certain = Long - 1 - vta_pkg::LongOverlapCycles;  // stage

  logic is_gemm, reset, use_imm, is_long, is_requant, two_reads;
  logic [2:0] op;
  assign is_gemm = insn_i[2:0] == vta_pkg::OP_GEMM;
  assign reset = insn_i[vta_pkg::GemmResetLsb];
  assign use_imm = insn_i[vta_pkg::AluUseImmLsb];
  assign op = is_gemm ? vta_pkg::ALU_ADD : insn_i[vta_pkg::AluAluOpcodeLsb +: 3];
  assign is_long = vta_pkg::HasLong != 0 && !is_gemm && vta_pkg::AluOpLong[op];
  assign is_requant = vta_pkg::Requant != 0 && !is_gemm && op == vta_pkg::ALU_REQUANT;
  assign two_reads = vta_pkg::AluReadPorts == 1 && !is_gemm && !use_imm && !is_requant;

  // What goes into the read stage: a micro-op, the early read of its src (one port), or a row of the
  // requant parameter block.
  logic go_main, go_early, go_block, hazard, empty, need_block;
  logic early_q, block_valid_q;
  logic [1:0] block_count_q;
  logic [RowBits-1:0] src, block_src_q;
  // Read, capture and operation stages.
  logic r_main_q, r_early_q, r_block_q, r_last_q, r_fault_q;
  logic c_main_q, c_early_q, c_block_q, c_last_q, c_fault_q;
  logic x_main_q, x_last_q, x_fault_q;
  // What they do: GEMM, its reset, an immediate operand or one read early, the operation.
  logic r_gemm_q, r_reset_q, r_imm_q, r_two_q, r_long_q, r_requant_q;
  logic c_gemm_q, c_reset_q, c_imm_q, c_two_q, c_long_q, c_requant_q;
  logic x_gemm_q, x_reset_q, x_long_q, x_requant_q;
  logic [2:0] r_op_q, c_op_q, x_op_q;
  logic [15:0] r_value_q, c_value_q;
  logic [1:0] r_index_q, c_index_q;
  logic [RowBits-1:0] r_dst_q, r_src_q, c_dst_q, c_src_q, x_dst_q;
  // Long stages.
  logic [Long-1:0] l_main_q, l_last_q, l_fault_q;
  logic [Long*RowBits-1:0] l_dst_q;

  assign src = RowBits'(src_i);
  assign need_block = is_requant && !(block_valid_q && src == block_src_q);
  // No long operation is left that uses the parameters, or writes a row after it would be read.
  if (vta_pkg::HasLong != 0) begin : g_empty
    assign empty = !((r_main_q && r_long_q) || (c_main_q && c_long_q) || (x_main_q && x_long_q) ||
                     l_main_q[Long-4:0] != '0);
    assign ending_o = (go_main && last_i && !outside_i && !is_long) ||
                      (l_main_q[Certain] && l_last_q[Certain] && !l_fault_q[Certain]);
  end else begin : g_empty_short
    assign empty = 1'b1;
    assign ending_o = go_main && last_i && !outside_i;
  end

  always_comb begin
    hazard = 1'b0;
    if (is_long) begin
      hazard = (r_main_q && r_long_q && (r_dst_q == dst_i || (!is_requant && !use_imm && r_dst_q == src))) ||
               (c_main_q && c_long_q && (c_dst_q == dst_i || (!is_requant && !use_imm && c_dst_q == src))) ||
               (x_main_q && x_long_q && (x_dst_q == dst_i || (!is_requant && !use_imm && x_dst_q == src)));
      for (int i = 0; i < Long - 3; i++) begin
        if (l_main_q[i] && (l_dst_q[i*RowBits +: RowBits] == dst_i ||
            (!is_requant && !use_imm && l_dst_q[i*RowBits +: RowBits] == src))) hazard = 1'b1;
      end
    end
  end

  always_comb begin
    go_main = 1'b0;
    go_early = 1'b0;
    go_block = 1'b0;
    if (valid_i) begin
      if (outside_i) go_main = 1'b1;
      else if (need_block || block_count_q != 2'd0) go_block = block_count_q != 2'd0 || empty;
      else if (hazard) go_main = 1'b0;
      else if (two_reads && !early_q) go_early = 1'b1;
      else go_main = 1'b1;
    end
  end
  assign ready_o = go_main;
  assign mac_read_o = go_main && is_gemm && !reset && !outside_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      early_q <= 1'b0;
      block_valid_q <= 1'b0;
      block_count_q <= 2'd0;
    end else if (clear_i || start_i) begin
      early_q <= 1'b0;
      block_valid_q <= 1'b0;
      block_count_q <= 2'd0;
    end else begin
      if (go_early) early_q <= 1'b1;
      else if (go_main) early_q <= 1'b0;
      if (go_block) begin
        block_count_q <= block_count_q == 2'd2 ? 2'd0 : block_count_q + 2'd1;
        block_valid_q <= block_count_q == 2'd2;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      r_main_q <= 1'b0;
      r_early_q <= 1'b0;
      r_block_q <= 1'b0;
      c_main_q <= 1'b0;
      c_early_q <= 1'b0;
      c_block_q <= 1'b0;
      x_main_q <= 1'b0;
    end else if (clear_i) begin
      r_main_q <= 1'b0;
      r_early_q <= 1'b0;
      r_block_q <= 1'b0;
      c_main_q <= 1'b0;
      c_early_q <= 1'b0;
      c_block_q <= 1'b0;
      x_main_q <= 1'b0;
    end else begin
      r_main_q <= go_main;
      r_early_q <= go_early;
      r_block_q <= go_block;
      c_main_q <= r_main_q;
      c_early_q <= r_early_q;
      c_block_q <= r_block_q;
      x_main_q <= c_main_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (go_block) block_src_q <= src;
    if (go_main || go_early || go_block) begin
      r_last_q <= last_i;
      r_fault_q <= outside_i;
      r_index_q <= block_count_q;
      r_dst_q <= dst_i;
      r_src_q <= src + RowBits'(block_count_q);
      r_gemm_q <= is_gemm;
      r_reset_q <= is_gemm && reset;
      r_imm_q <= !is_gemm && use_imm;
      r_two_q <= two_reads;
      r_long_q <= is_long;
      r_requant_q <= is_requant;
      r_op_q <= op;
      r_value_q <= insn_i[vta_pkg::AluImmLsb +: 16];
    end
    c_last_q <= r_last_q;
    c_fault_q <= r_fault_q;
    c_index_q <= r_index_q;
    c_dst_q <= r_dst_q;
    c_src_q <= r_src_q;
    c_gemm_q <= r_gemm_q;
    c_reset_q <= r_reset_q;
    c_imm_q <= r_imm_q;
    c_two_q <= r_two_q;
    c_long_q <= r_long_q;
    c_requant_q <= r_requant_q;
    c_op_q <= r_op_q;
    c_value_q <= r_value_q;
    x_last_q <= c_last_q;
    x_fault_q <= c_fault_q;
    x_dst_q <= c_dst_q;
    x_gemm_q <= c_gemm_q;
    x_reset_q <= c_reset_q;
    x_long_q <= c_long_q;
    x_requant_q <= c_requant_q;
    x_op_q <= c_op_q;
  end

  // Read stage: accumulator rows, and the products.
  logic [AccBits-1:0] mac_sum;
  assign read_o = r_main_q || r_early_q || r_block_q;
  assign read_dst_o = vta_pkg::AluReadPorts == 1 && !r_main_q ? r_src_q : r_dst_q;
  assign read_src_o = r_src_q;
  vta_mac u_mac (
    .clk_i, .valid_i(r_main_q && r_gemm_q && !r_reset_q), .inp_i, .wgt_i, .sum_o(mac_sum)
  );

  // Capture stage: newer values of the rows replace what the memory gave.
  logic write, back_q;
  logic [RowBits-1:0] write_row, back_row_q;
  logic [AccBits-1:0] write_data, back_data_q, row_a, row_b, a_q, b_q;
  always_comb begin
    row_a = 'x;
    row_b = 'x;
    if (c_main_q) begin
      row_a = write && write_row == c_dst_q ? write_data :
              back_q && back_row_q == c_dst_q ? back_data_q : acc_dst_i;
    end
    if (c_early_q || c_block_q || (c_main_q && !c_gemm_q)) begin
      row_b = write && write_row == c_src_q ? write_data :
              back_q && back_row_q == c_src_q ? back_data_q :
              vta_pkg::AluReadPorts == 1 ? acc_dst_i : acc_src_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (c_main_q) a_q <= row_a;
    if (c_main_q && c_gemm_q) b_q <= mac_sum;
    else if (c_main_q && c_imm_q) b_q <= {Lanes{32'($signed(c_value_q))}};
    else if (c_early_q || (c_main_q && !c_two_q)) b_q <= row_b;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) back_q <= 1'b0;
    else back_q <= write;
  end
  always_ff @(posedge clk_i) begin
    if (write) begin
      back_row_q <= write_row;
      back_data_q <= write_data;
    end
  end

  // Operation stage.
  logic [AccBits-1:0] short_result, long_result;
  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    vta_alu u_alu (
      .valid_i(short_ends && !x_reset_q), .op_i(x_op_q), .a_i(a_q[l*32 +: 32]),
      .b_i(b_q[l*32 +: 32]), .result_o(short_result[l*32 +: 32])
    );
  end

  if (vta_pkg::HasLong != 0) begin : g_long
    logic [AccBits-1:0] bias_q, multiplier_q, packed_q;
    logic [Long-1:0] enters;
    assign enters = {l_main_q[Long-2:0], x_main_q && x_long_q};
    if (vta_pkg::Requant != 0) begin : g_block
      always_ff @(posedge clk_i) begin
        if (c_block_q && c_index_q == 2'd0) bias_q <= row_b;
        if (c_block_q && c_index_q == 2'd1) multiplier_q <= row_b;
        if (c_block_q && c_index_q == 2'd2) packed_q <= row_b;
      end
    end else begin : g_no_block
      assign bias_q = '0;
      assign multiplier_q = '0;
      assign packed_q = '0;
    end
    // One kind of operation is in these stages at a time, and nothing else comes in before it is out.
    for (genvar l = 0; l < Lanes; l++) begin : g_lane
      vta_alu_long u_alu (
        .clk_i, .prepare_i(c_main_q && c_long_q), .valid_i(enters), .requant_i(x_requant_q),
        .double_i, .a_i(a_q[l*32 +: 32]), .b_i(b_q[l*32 +: 32]), .bias_i(bias_q[l*32 +: 32]),
        .multiplier_i(multiplier_q[l*32 +: 32]), .packed_i(packed_q[l*32 +: 32]),
        .result_o(long_result[l*32 +: 32])
      );
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) l_main_q <= '0;
      else if (clear_i) l_main_q <= '0;
      else l_main_q <= enters;
    end
    always_ff @(posedge clk_i) begin
      l_last_q <= {l_last_q[Long-2:0], x_last_q};
      l_fault_q <= {l_fault_q[Long-2:0], x_fault_q};
      l_dst_q <= {l_dst_q[(Long-1)*RowBits-1:0], x_dst_q};
    end
  end else begin : g_short
    assign long_result = '0;
    assign l_main_q = '0;
    assign l_last_q = '0;
    assign l_fault_q = '0;
    assign l_dst_q = '0;
  end

  logic long_ends, short_ends, ends_fault;
  assign long_ends = vta_pkg::HasLong != 0 && l_main_q[Long-1];
  assign short_ends = x_main_q && !x_long_q;
  assign ends_fault = long_ends ? l_fault_q[Long-1] : x_fault_q;
  assign write = (long_ends || short_ends) && !ends_fault;
  assign write_row = long_ends ? l_dst_q[(Long-1)*RowBits +: RowBits] : x_dst_q;
  always_comb begin
    write_data = 'x;
    if (long_ends) write_data = long_result;
    else if (short_ends) write_data = x_reset_q ? '0 : short_result;
  end
  assign write_o = write;
  assign write_row_o = write_row;
  assign write_data_o = write_data;
  assign write_gemm_o = write && !long_ends && x_gemm_q;
  assign write_mac_o = write_gemm_o && !x_reset_q;
  assign done_o = (long_ends && (l_last_q[Long-1] || ends_fault)) ||
                  (short_ends && (x_last_q || ends_fault));
  assign fault_o = ends_fault;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(long_ends && short_ends));
      assert ($onehot0({go_main, go_early, go_block}));
    end
  end
`endif
endmodule
