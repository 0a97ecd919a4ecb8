/// What runs the micro-ops of GEMM and ALU instructions, or of one of the two: loops and operations.
/// Timing: vta_loop, then vta_execute.
module vta_unit #(
  parameter bit Gemm = 1'b1,
  parameter bit Alu = 1'b1
) (
  input  logic                             clk_i,
  input  logic                             clear_i,
  input  logic                             prepare_i,  // start_i may come
  input  logic                             start_i,    // an instruction with micro-ops
  input  logic [127:0]                     insn_i,     // with prepare_i
  input  logic                             double_i,
  input  logic [1:0]                       locked_i, // accumulator banks that are not to be read yet
  // Micro-op memory.
  output logic                             read_uop_o,
  output logic [vta_pkg::UopIndexBits-1:0] read_uop_row_o,
  input  logic [31:0]                      uop_i,
  // Scratchpads.
  output logic                             read_mac_o,
  output logic [vta_pkg::InpIndexBits-1:0] read_inp_o,
  output logic [vta_pkg::WgtIndexBits-1:0] read_wgt_o,
  input  logic [vta_pkg::InpBits-1:0]      inp_i,
  input  logic [vta_pkg::WgtBits-1:0]      wgt_i,
  // Accumulator.
  output logic                             read_dst_o,
  output logic [vta_pkg::AccIndexBits-1:0] read_dst_row_o,
  input  logic [vta_pkg::AccBanks*vta_pkg::AccBits-1:0] acc_dst_i,
  output logic                             read_src_o,
  output logic [vta_pkg::AccIndexBits-1:0] read_src_row_o,
  input  logic [vta_pkg::AccBanks*vta_pkg::AccBits-1:0] acc_src_i,
  output logic                             write_o,
  output logic [vta_pkg::AccIndexBits-1:0] write_row_o,
  output logic [vta_pkg::AccBits-1:0]      write_data_o,
  output logic                             write_gemm_o,
  output logic                             write_mac_o,
  input  logic [38:0]                      lut_i,      // see vta_execute
  // State: see vta_execute, vta_reach.
  output logic                             ending_o,
  output logic                             leaving_o,
  output logic                             done_o,
  output logic                             failed_o,
  output logic                             known_o,
  output logic                             bank_o
);
  localparam bit Aside = Alu && !Gemm;  // others may run beside it

  logic [127:0] insn_q;
  always_ff @(posedge clk_i) if (start_i) insn_q <= insn_i;

  logic valid, last, outside, ready, next_valid, kept, first, pass;
  logic [vta_pkg::AccIndexBits-1:0] dst, next_dst;
  logic [vta_pkg::SrcIndexBits-1:0] src, next_src;
  vta_loop #(.Keeps(Aside)) u_loop (
    .clk_i, .clear_i, .prepare_i, .start_i, .start_insn_i(insn_i), .insn_i(insn_q),
    .read_o(read_uop_o), .read_row_o(read_uop_row_o), .uop_i, .valid_o(valid), .last_o(last), .outside_o(outside),
    .dst_o(dst), .src_o(src), .wgt_o(read_wgt_o), .next_valid_o(next_valid),
    .next_dst_o(next_dst), .next_src_o(next_src), .ready_i(ready), .kept_o(kept),
    .first_o(first), .pass_o(pass)
  );
  assign read_inp_o = src[vta_pkg::InpIndexBits-1:0];

  vta_execute #(.Gemm(Gemm), .Alu(Alu)) u_execute (
    .clk_i, .clear_i, .start_i, .insn_i, .double_i, .valid_i(valid), .last_i(last),
    .outside_i(outside), .dst_i(dst), .src_i(src), .next_valid_i(next_valid),
    .next_dst_i(next_dst), .next_src_i(next_src), .ready_o(ready),
    .wait_i(locked_i[dst[vta_pkg::AccIndexBits-1]]), .mac_read_o(read_mac_o), .inp_i, .wgt_i,
    .read_dst_o, .read_src_o, .read_dst_row_o, .read_src_row_o, .acc_dst_i, .acc_src_i, .write_o,
    .write_row_o, .write_data_o, .write_gemm_o, .write_mac_o, .lut_i, .ending_o, .leaving_o, .done_o,
    .failed_o
  );

  if (Aside) begin : g_reach
    logic known;
    vta_reach u_reach (
      .clk_i, .start_i, .insn_i(insn_q), .valid_i(valid && first), .last_i(pass),
      .outside_i(outside), .dst_i(dst), .src_i(src[vta_pkg::AccIndexBits-1:0]), .known_o(known),
      .bank_o
    );
    assign known_o = known && kept;
  end else begin : g_no_reach
    logic unused_kernel;
    assign unused_kernel = kept ^ first ^ pass;
    assign {known_o, bank_o} = '0;
  end
endmodule
