/// The near end of the load and compute modules: looks at each instruction in order, waits until its
/// tokens are there, asks memory for what a LOAD reads, and hands it on. Up to PendingInstructions
/// run ahead of the far end; their tokens are taken only when the far end starts them, so a fault
/// leaves the queues as if nothing had run ahead.
module vta_frontend #(
  parameter bit HasPrev = 1'b1  // the module has a previous neighbour
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              clear_i,
  input  logic                              halted_i,
  input  logic [5*vta_pkg::AddressBits-1:0] bases_i,
  // Instructions from the queue.
  input  logic                              valid_i,
  input  logic [127:0]                      insn_i,
  input  logic [31:0]                       index_i,
  output logic                              pop_o,
  // Tokens there are, and tokens taken by the far end.
  input  logic [15:0]                       tokens_prev_i,
  input  logic [15:0]                       tokens_next_i,
  input  logic                              take_prev_i,
  input  logic                              take_next_i,
  output logic                              early_prev_o,  // the oldest instruction takes its first
  input  logic                              far_busy_i,
  // Instructions to the far end: take next, take prev, fault, index, instruction.
  output logic                              valid_o,
  output logic [165:0]                      data_o,
  input  logic                              ready_i,
  // Read requests.
  output logic                              request_o,
  output logic [vta_pkg::AddressBits-1:0]   address_o,
  output logic [7:0]                        beats_o,
  input  logic                              grant_i,
  // State.
  output logic                              waits_o,  // for a token, as the oldest instruction
  output logic                              waits_next_o,
  output logic                              empty_o   // no instruction here
);
  localparam int AddressBits = vta_pkg::AddressBits;

  logic [1:0] module_unused;
  logic [3:0] fault, log_bytes;
  logic [2:0] memory_type;
  logic [15:0] ahead_prev_q, ahead_next_q;  // handed on, tokens not taken yet
  logic need_prev, need_next, have_prev, have_next;
  logic early_q, stop_q, full, push, pop, walking, walk_ready, moves, cut_unused;
  logic [AddressBits-1:0] base;

  vta_decode u_decode (.insn_i, .module_o(module_unused), .fault_o(fault));

  assign memory_type = insn_i[vta_pkg::LoadMemoryTypeLsb +: 3];
  assign need_prev = HasPrev && insn_i[vta_pkg::LoadPopPrevLsb] && !early_q;
  assign need_next = insn_i[vta_pkg::LoadPopNextLsb];
  assign have_prev = !need_prev || tokens_prev_i > ahead_prev_q;
  assign have_next = !need_next || tokens_next_i > ahead_next_q;

  // A halted module throws away what is left, so that fetch can go on for the others.
  assign pop = valid_i && (halted_i || (!stop_q && walk_ready && !full &&
                                       (fault != vta_pkg::FAULT_NONE || (have_prev && have_next))));
  assign push = pop && !halted_i;
  assign pop_o = pop;
  assign moves = insn_i[2:0] == vta_pkg::OP_LOAD && fault == vta_pkg::FAULT_NONE &&
                 insn_i[vta_pkg::LoadXSizeLsb +: 16] != 16'd0 &&
                 insn_i[vta_pkg::LoadYSizeLsb +: 16] != 16'd0;

  assign waits_o = valid_i && !halted_i && !stop_q && !valid_o && !far_busy_i && !walking &&
                   fault == vta_pkg::FAULT_NONE && !(have_prev && have_next);
  assign waits_next_o = have_prev;
  assign early_prev_o = waits_o && need_prev && have_prev;
  assign empty_o = !valid_i && !valid_o && !walking;

  always_comb begin
    log_bytes = 4'(vta_pkg::LogBytesInp);
    base = bases_i[2*AddressBits +: AddressBits];
    case (memory_type)
      vta_pkg::MEM_UOP: begin
        log_bytes = 4'(vta_pkg::LogBytesUop);
        base = bases_i[0 +: AddressBits];
      end
      vta_pkg::MEM_WGT: begin
        log_bytes = 4'(vta_pkg::LogBytesWgt);
        base = bases_i[AddressBits +: AddressBits];
      end
      vta_pkg::MEM_ACC: begin
        log_bytes = 4'(vta_pkg::LogBytesAcc);
        base = bases_i[3*AddressBits +: AddressBits];
      end
      vta_pkg::MEM_ACC8: begin
        log_bytes = 4'(vta_pkg::LogBytesAcc8);
        base = bases_i[3*AddressBits +: AddressBits];
      end
      default: begin
        log_bytes = 4'(vta_pkg::LogBytesInp);
        base = bases_i[2*AddressBits +: AddressBits];
      end
    endcase
  end

  vta_bursts u_bursts (
    .clk_i, .rst_ni, .clear_i(clear_i || halted_i), .start_i(push && moves), .base_i(base),
    .first_i(insn_i[vta_pkg::LoadDramBaseLsb +: 32]),
    .x_size_i(insn_i[vta_pkg::LoadXSizeLsb +: 16]),
    .y_size_i(insn_i[vta_pkg::LoadYSizeLsb +: 16]),
    .x_stride_i(insn_i[vta_pkg::LoadXStrideLsb +: 16]), .log_bytes_i(log_bytes), .limit_i(17'd0),
    .serial_i(1'b0), .idle_i(1'b1), .ready_o(walk_ready), .busy_o(walking), .cut_o(cut_unused),
    .valid_o(request_o), .address_o, .beats_o, .ready_i(grant_i)
  );

  vta_queue #(.Width(166), .Depth(vta_pkg::PendingInstructions)) u_pending (
    .clk_i, .rst_ni, .clear_i, .push_i(push),
    .data_i({need_next, need_prev, fault, index_i, insn_i}), .full_o(full), .valid_o, .data_o,
    .pop_i(valid_o && ready_i)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ahead_prev_q <= '0;
      ahead_next_q <= '0;
      early_q <= 1'b0;
      stop_q <= 1'b0;
    end else if (clear_i) begin
      ahead_prev_q <= '0;
      ahead_next_q <= '0;
      early_q <= 1'b0;
      stop_q <= 1'b0;
    end else begin
      // A faulty instruction takes no tokens.
      ahead_prev_q <= ahead_prev_q + 16'(push && need_prev && fault == vta_pkg::FAULT_NONE)
                      - 16'(take_prev_i);
      ahead_next_q <= ahead_next_q + 16'(push && need_next && fault == vta_pkg::FAULT_NONE)
                      - 16'(take_next_i);
      if (early_prev_o) early_q <= 1'b1;
      else if (push) early_q <= 1'b0;
      if (push && fault != vta_pkg::FAULT_NONE) stop_q <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Only tokens of instructions that were handed on are taken.
      if (take_prev_i) assert (ahead_prev_q != '0);
      if (take_next_i) assert (ahead_next_q != '0);
    end
  end
`endif
endmodule
