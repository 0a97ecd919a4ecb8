/// A launch from its start to its end: clears the modules, runs them, and finds out that FINISH is
/// done, that nothing can move any more, or that the bus is dead. A start while one runs is ignored;
/// one that finds the bus busy, after a launch that the watchdog ended, waits for it. A launch that
/// ended asks the bus for nothing more.
module vta_control (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,      // ignored while busy_o
  input  logic        reset_i,
  input  logic [31:0] watchdog_i,
  input  logic        finished_i,   // FINISH retires
  input  logic        still_i,      // no module can move
  input  logic        halted_i,     // some module
  input  logic        waiting_i,    // some module
  input  logic        bus_idle_i,   // nothing outstanding
  input  logic        bus_moves_i,  // some handshake
  output logic        clear_o,      // of all that a launch begins anew; the reset clears it too
  output logic        launch_o,     // fetch may start, a cycle after clear_o
  output logic        hold_o,       // ask the bus for nothing
  output logic        discard_o,    // finish what is on the bus
  output logic        busy_o,
  output logic        done_o,
  output logic        ends_o,       // done_o is set in the next cycle
  output logic        watchdog_o,
  output logic [2:0]  outcome_o
);
  localparam logic [1:0] IDLE = 2'd0, CLEAR = 2'd1, RUN = 2'd2, RESET = 2'd3;

  logic [1:0] state_q, state;
  logic clear_q, run_q, reset_q;  // registers of their own: they reach far
  logic launch_q, starting_q, done_q, watchdog_q, finished_q, runs, still_q, quiet, stuck, dead_q, ends;
  logic [2:0] outcome_q, outcome;
  logic [3:0] quiet_q;
  logic [31:0] stuck_q, most_q;  // cycles; the most that are borne, less one

  assign quiet = still_q && quiet_q == 4'(vta_pkg::QuietCycles - 1);
  assign runs = state_q == RUN || starting_q;
  assign stuck = runs && !bus_idle_i && !bus_moves_i;
  assign ends = runs && ((finished_q && bus_idle_i) || quiet || dead_q);
  assign outcome = finished_q ? vta_pkg::OUTCOME_FINISHED : dead_q ? vta_pkg::OUTCOME_STOPPED :
                   halted_i ? vta_pkg::OUTCOME_FAULT :
                   waiting_i ? vta_pkg::OUTCOME_DEADLOCK : vta_pkg::OUTCOME_NO_FINISH;
  assign clear_o = clear_q || !rst_ni;
  assign launch_o = launch_q;
  assign hold_o = !run_q;
  assign discard_o = reset_q;
  assign busy_o = state_q != IDLE;
  assign done_o = done_q;
  assign ends_o = ends;
  assign watchdog_o = watchdog_q;
  assign outcome_o = outcome_q;

  always_comb begin
    state = state_q;
    case (state_q)
      IDLE: if (start_i) state = bus_idle_i ? CLEAR : RESET;
      CLEAR: state = RUN;
      RESET: if (bus_idle_i) state = starting_q ? CLEAR : IDLE;
      default: state = RUN;
    endcase
    if (ends) state = IDLE;
    if (reset_i) state = RESET;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      clear_q <= 1'b0;
      run_q <= 1'b0;
      reset_q <= 1'b0;
      launch_q <= 1'b0;
      starting_q <= 1'b0;
      done_q <= 1'b0;
      watchdog_q <= 1'b0;
      finished_q <= 1'b0;
      outcome_q <= '0;
      still_q <= 1'b0;
      quiet_q <= '0;
      stuck_q <= '0;
      most_q <= '0;
      dead_q <= 1'b0;
    end else begin
      quiet_q <= still_q ? quiet_q + 4'(!quiet) : 4'd0;
      still_q <= 1'b0;
      if (bus_idle_i) still_q <= state_q == RUN && !launch_q && still_i;
      launch_q <= state_q == CLEAR;
      dead_q <= stuck && watchdog_i != '0 && stuck_q == most_q;
      stuck_q <= stuck ? stuck_q + 32'd1 : '0;
      most_q <= watchdog_i - 32'd1;
      state_q <= state;
      clear_q <= state == CLEAR || state == RESET;
      run_q <= state == RUN;
      reset_q <= state == RESET;
      if (reset_i) begin
        starting_q <= 1'b0;
        done_q <= 1'b0;
        watchdog_q <= 1'b0;
        finished_q <= 1'b0;
      end else begin
        case (state_q)
          IDLE: begin
            if (start_i) begin
              starting_q <= !bus_idle_i;
              done_q <= 1'b0;
              watchdog_q <= 1'b0;
              finished_q <= 1'b0;
            end
          end
          RUN: begin
            if (finished_i) finished_q <= 1'b1;
          end
          RESET: begin
            if (bus_idle_i) starting_q <= 1'b0;
          end
          default: begin
          end
        endcase
        if (ends) begin
          starting_q <= 1'b0;
          done_q <= 1'b1;
          watchdog_q <= dead_q && !finished_q;
          outcome_q <= outcome;
        end
      end
    end
  end

`ifndef SYNTHESIS
  logic cleared_q, held_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cleared_q <= 1'b0;
      held_q <= 1'b1;
    end else begin
      cleared_q <= clear_o;
      held_q <= hold_o;
    end
  end
  // What vta_read_buffer asks for: requests begin behind a clear, with the bus idle.
  always_ff @(posedge clk_i) begin
    if (rst_ni && held_q && !hold_o) assert (cleared_q && bus_idle_i);
  end
`endif
endmodule
