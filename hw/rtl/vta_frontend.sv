/// The near end of the load and compute modules: looks at each instruction in order, waits until its
/// tokens are there, asks memory for what a LOAD reads, and hands it on. Up to PendingInstructions
/// run ahead of the far end; their tokens are taken only when the far end starts them, so a fault
/// leaves the queues as if nothing had run ahead.
/// Timing: an instruction is decoded in the cycle after it comes, and handed on in the next one.
module vta_frontend #(
  parameter bit HasPrev = 1'b1  // the module has a previous neighbour
) (
  input  logic                              clk_i,
  input  logic                              clear_i,
  input  logic                              halted_i,
  input  logic [5*64-1:0]                   bases_i,
  // Instructions from the queue.
  input  logic                              valid_i,
  input  logic [127:0]                      insn_i,
  input  logic [31:0]                       index_i,
  output logic                              pop_o,
  // Tokens that come, and the state of the oldest instruction.
  input  logic                              push_prev_i,
  input  logic                              push_next_i,
  output logic                              early_prev_o,  // it takes its first
  input  logic                              far_busy_i,
  // Instructions to the far end.
  output logic                              valid_o,
  output logic [127:0]                      insn_o,
  output logic [31:0]                       index_o,
  output logic [3:0]                        fault_o,
  output logic                              moves_o,  // a LOAD of something
  output logic                              loops_o,  // GEMM or ALU with micro-ops
  output logic                              take_prev_o,
  output logic                              take_next_o,
  input  logic                              ready_i,
  // Read requests.
  output logic                              request_o,
  output logic [vta_pkg::AddressBits-1:0]   address_o,
  output logic [7:0]                        beats_o,
  input  logic                              grant_i,
  // State.
  output logic                              waits_o,  // for a token, as the oldest instruction
  output logic                              waits_next_o,
  output logic                              empty_o,  // no instruction here
  output logic [31:0]                       head_index_o
);
  localparam int AddressBits = vta_pkg::AddressBits;

  // The instruction that comes, decoded.
  logic [1:0] module_unused;
  logic [3:0] fault, log_bytes;
  logic [AddressBits-1:0] base;
  logic moves, loops, is_load, is_loop;
  vta_decode u_decode (
    .valid_i(pop_o), .insn_i, .module_o(module_unused), .fault_o(fault)
  );
  assign is_load = insn_i[2:0] == vta_pkg::OP_LOAD && fault == vta_pkg::FAULT_NONE;
  assign is_loop = (insn_i[2:0] == vta_pkg::OP_GEMM || insn_i[2:0] == vta_pkg::OP_ALU) &&
                   fault == vta_pkg::FAULT_NONE;
  assign moves = is_load && insn_i[vta_pkg::LoadXSizeLsb +: 16] != 16'd0 &&
                 insn_i[vta_pkg::LoadYSizeLsb +: 16] != 16'd0;
  assign loops = is_loop && insn_i[vta_pkg::GemmIterOutLsb +: 14] != 14'd0 &&
                 insn_i[vta_pkg::GemmIterInLsb +: 14] != 14'd0 &&
                 (vta_pkg::UopIndexBits+1)'(insn_i[vta_pkg::GemmUopBeginLsb +:
                                                   vta_pkg::UopIndexBits]) <
                 insn_i[vta_pkg::GemmUopEndLsb +: vta_pkg::UopIndexBits + 1];

  // The head: the next instruction to be handed on.
  logic head_valid_q, head_moves_q, head_loops_q, need_prev_q, need_next_q, faulty_q;
  logic [127:0] head_q;
  logic [31:0] head_index_q;
  logic [3:0] head_fault_q, head_log_bytes_q;
  logic [AddressBits-1:0] head_base_q;
  // Tokens that no instruction that was handed on takes.
  logic [15:0] free_prev_q, free_next_q;
  logic some_prev_q, some_next_q, use_prev, use_next;
  logic have_prev, have_next, stop_q, full, pop, push, walking, walk_ready, cut_unused;

  assign have_prev = !need_prev_q || some_prev_q;
  assign have_next = !need_next_q || some_next_q;

  // A halted module throws away what is left, so that fetch can go on for the others.
  assign pop = head_valid_q && (halted_i || (!stop_q && walk_ready && !full &&
                                            (faulty_q || (have_prev && have_next))));
  assign push = pop && !halted_i;
  assign pop_o = valid_i && (!head_valid_q || pop);
  assign head_index_o = head_valid_q ? head_index_q : index_i;

  assign waits_o = head_valid_q && !halted_i && !stop_q && !valid_o && !far_busy_i && !walking &&
                   !faulty_q && !(have_prev && have_next);
  assign waits_next_o = have_prev;
  assign early_prev_o = waits_o && need_prev_q && have_prev;
  assign empty_o = !valid_i && !head_valid_q && !valid_o && !walking;

  logic is_lut;
  assign is_lut = HasPrev && vta_pkg::Lut != 0 &&
                  insn_i[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_LUT;
  always_comb begin
    {log_bytes, base} = 'x;
    if (pop_o) begin
      case (is_lut ? vta_pkg::MEM_UOP : insn_i[vta_pkg::LoadMemoryTypeLsb +: 3])
        vta_pkg::MEM_UOP: begin
          log_bytes = is_lut ? 4'(vta_pkg::LogBytesLut) : 4'(vta_pkg::LogBytesUop);
          base = bases_i[0 +: AddressBits];
        end
        vta_pkg::MEM_WGT: begin
          log_bytes = 4'(vta_pkg::LogBytesWgt);
          base = bases_i[64 +: AddressBits];
        end
        vta_pkg::MEM_ACC: begin
          log_bytes = 4'(vta_pkg::LogBytesAcc);
          base = bases_i[3*64 +: AddressBits];
        end
        vta_pkg::MEM_ACC8: begin
          log_bytes = 4'(vta_pkg::LogBytesAcc8);
          base = bases_i[3*64 +: AddressBits];
        end
        default: begin
          log_bytes = 4'(vta_pkg::LogBytesInp);
          base = bases_i[2*64 +: AddressBits];
        end
      endcase
    end
  end

  vta_bursts u_bursts (
    .clk_i, .clear_i(clear_i || halted_i), .start_i(push && head_moves_q),
    .base_i(head_base_q), .first_i(head_q[vta_pkg::LoadDramBaseLsb +: 32]),
    .x_size_i(head_q[vta_pkg::LoadXSizeLsb +: 16]),
    .y_size_i(head_q[vta_pkg::LoadYSizeLsb +: 16]),
    .x_stride_i(head_q[vta_pkg::LoadXStrideLsb +: 16]), .log_bytes_i(head_log_bytes_q),
    .limit_i(17'd0), .serial_i(1'b0), .idle_i(1'b1), .ready_o(walk_ready), .busy_o(walking), .cut_o(cut_unused),
    .valid_o(request_o), .address_o, .beats_o, .ready_i(grant_i)
  );

  logic [167:0] handed;
  always_comb begin
    handed = 'x;
    if (push)
      handed = {need_next_q, need_prev_q, head_loops_q, head_moves_q, head_fault_q, head_index_q, head_q};
  end
  vta_queue #(.Width(168), .Depth(vta_pkg::PendingInstructions)) u_pending (
    .clk_i, .clear_i, .push_i(push), .data_i(handed),
    .full_o(full), .valid_o,
    .data_o({take_next_o, take_prev_o, loops_o, moves_o, fault_o, index_o, insn_o}),
    .pop_i(valid_o && ready_i)
  );

  // A faulty instruction takes no tokens.
  assign use_prev = early_prev_o || (push && need_prev_q);
  assign use_next = push && need_next_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      head_valid_q <= 1'b0;
      need_prev_q <= 1'b0;
      free_prev_q <= '0;
      free_next_q <= '0;
      some_prev_q <= 1'b0;
      some_next_q <= 1'b0;
      stop_q <= 1'b0;
    end else begin
      head_valid_q <= pop_o || (head_valid_q && !pop);
      if (pop_o)
        need_prev_q <= HasPrev && insn_i[vta_pkg::LoadPopPrevLsb] && fault == vta_pkg::FAULT_NONE;
      else if (early_prev_o) need_prev_q <= 1'b0;
      some_prev_q <= push_prev_i || free_prev_q > 16'd1 || (free_prev_q[0] && !use_prev);
      some_next_q <= push_next_i || free_next_q > 16'd1 || (free_next_q[0] && !use_next);
      if (push_prev_i != use_prev) free_prev_q <= free_prev_q + {{15{use_prev}}, 1'b1};
      if (push_next_i != use_next) free_next_q <= free_next_q + {{15{use_next}}, 1'b1};
      if (push && faulty_q) stop_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop_o) begin
      head_q <= insn_i;
      head_index_q <= index_i;
      head_fault_q <= fault;
      faulty_q <= fault != vta_pkg::FAULT_NONE;
      head_moves_q <= moves;
      head_loops_q <= loops;
      head_base_q <= base;
      head_log_bytes_q <= log_bytes;
      need_next_q <= insn_i[vta_pkg::LoadPopNextLsb] && fault == vta_pkg::FAULT_NONE;
    end
  end
endmodule
