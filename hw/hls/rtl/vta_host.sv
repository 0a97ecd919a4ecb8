/// The host's registers in front of the kernels: as those of the RTL but for counters of cycles, of
/// which only the launch's own counts. What the kernels say comes from vta_monitor (vta_state.h); its
/// outcomes, states and counters are the registers' own.
/// A launch ends when the monitor says so. Where no kernel moves for the watchdog's cycles it ends as a
/// dead bus ends one; a start waits for the kernels to come out of it, as a reset does.
module vta_host #(
  parameter int MemoryMib = 4096  // memory ends there; behind it, addresses are refused
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    s_aw_valid_i,
  output logic                                    s_aw_ready_o,
  input  logic [vta_pkg::RegisterAddressBits-1:0] s_aw_address_i,
  input  logic                                    s_w_valid_i,
  output logic                                    s_w_ready_o,
  input  logic [31:0]                             s_w_data_i,
  input  logic [3:0]                              s_w_strb_i,
  output logic                                    s_b_valid_o,
  input  logic                                    s_b_ready_i,
  output logic [1:0]                              s_b_resp_o,
  input  logic                                    s_ar_valid_i,
  output logic                                    s_ar_ready_o,
  input  logic [vta_pkg::RegisterAddressBits-1:0] s_ar_address_i,
  output logic                                    s_r_valid_o,
  input  logic                                    s_r_ready_i,
  output logic [31:0]                             s_r_data_o,
  output logic [1:0]                              s_r_resp_o,
  output logic                                    interrupt_o,
  // The monitor's wires: structs of vta_state.h, the first member in the lowest bits.
  output logic [31:0]                             start_o,
  output logic [31:0]                             stop_o,
  output logic [511:0]                            launch_o,
  input  logic [2431:0]                           result_i
);
  typedef struct packed {
    logic [31:0]       done;
    logic [31:0]       outcome;
    logic [3:0][31:0]  index;
    logic [3:0][31:0]  state;
    logic [31:0][63:0] counter;
    logic [63:0]       moves;
  } result_t;

  typedef enum logic [1:0] {IDLE, WAITS, RUNS, RESETS} phase_e;

  result_t result;
  phase_e phase_q;
  logic start, reset, settled, dead, ends, done_q, expired_q;
  logic [2:0] outcome_q;
  logic [31:0] start_q, stop_q, watchdog, still_q;
  logic [63:0] moves_q, counter_q;
  logic [511:0] launch_q;
  logic [47:0] cycles_q;
  logic counter_read;
  logic [4:0] counter_select;
  logic [vta_pkg::AddressBits-1:0] first;
  logic [31:0] count;
  logic [5*64-1:0] bases;
  logic [4*16-1:0] states;
  logic unused_bits;

  assign result = result_i;
  assign unused_bits = ^{result.outcome, result.state, result.counter[vta_pkg::CounterCycles]};
  for (genvar unit = 0; unit < 4; unit++) begin : g_state
    assign states[16*unit +: 16] = result.state[unit][15:0];
  end

  vta_regs u_regs (
    .clk_i, .rst_ni, .s_aw_valid_i, .s_aw_ready_o, .s_aw_address_i, .s_w_valid_i, .s_w_ready_o,
    .s_w_data_i, .s_w_strb_i, .s_b_valid_o, .s_b_ready_i, .s_b_resp_o, .s_ar_valid_i,
    .s_ar_ready_o, .s_ar_address_i, .s_r_valid_o, .s_r_ready_i, .s_r_data_o, .s_r_resp_o,
    .start_o(start), .reset_o(reset), .first_o(first), .count_o(count), .watchdog_o(watchdog),
    .bases_o(bases), .busy_i(phase_q != IDLE), .done_i(done_q), .ends_i(ends),
    .expired_i(expired_q), .outcome_i(outcome_q), .states_i(states), .indices_i(result.index),
    .counter_read_o(counter_read), .counter_o(counter_select), .counter_i(counter_q), .interrupt_o
  );

  assign start_o = start_q;
  assign stop_o = stop_q;
  assign launch_o = launch_q;

  assign settled = result.done == start_q;
  assign dead = watchdog != '0 && still_q == watchdog;
  assign ends = phase_q == RUNS && (settled || dead);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= IDLE;
      start_q <= '0;
      stop_q <= '0;
      done_q <= 1'b0;
      expired_q <= 1'b0;
      outcome_q <= '0;
    end else begin
      case (phase_q)
        IDLE: if (start) begin
          phase_q <= WAITS;
          done_q <= 1'b0;
          expired_q <= 1'b0;
        end
        WAITS: if (settled && !reset) begin
          phase_q <= RUNS;
          start_q <= start_q + 32'd1;
        end
        RUNS: if (ends) begin
          phase_q <= IDLE;
          done_q <= 1'b1;
          expired_q <= !settled;
          outcome_q <= settled ? result.outcome[2:0] : vta_pkg::OUTCOME_STOPPED;
          stop_q <= start_q;
        end
        default: if (settled) phase_q <= IDLE;
      endcase
      if (reset) begin
        phase_q <= RESETS;
        stop_q <= start_q;
        done_q <= 1'b0;
        expired_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    // What the host writes while a launch runs is for the next one.
    if (phase_q == WAITS) launch_q <= {32'd0, count, 64'(MemoryMib) << 20, bases, 64'(first)};
    moves_q <= result.moves;
    still_q <= phase_q == RUNS && result.moves == moves_q ? still_q + 32'd1 : '0;
    if (start && phase_q == IDLE) cycles_q <= '0;
    else if (phase_q == WAITS || phase_q == RUNS) cycles_q <= cycles_q + 48'd1;
    if (counter_read)
      counter_q <= counter_select == 5'(vta_pkg::CounterCycles) ? 64'(cycles_q) :
                   result.counter[counter_select];
  end
endmodule
