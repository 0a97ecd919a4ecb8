/// vta_control lets a launch ask for something only behind a clear, with a bus that owes nothing, and ends it
/// so, too, unless it is the watchdog's turn.
module control (
  input logic        clk_i, rst_ni, start_i, reset_i, finished_i, still_i, halted_i, waiting_i,
  input logic        asks_i, answer_i, moves_i,
  input logic [2:0]  watchdog_i
);
  logic clear, launch, hold, discard, busy, done, ends, watchdog, owed_q;
  logic [2:0] outcome;
  vta_control u_control (
    .clk_i, .rst_ni, .start_i, .reset_i, .watchdog_i(32'(watchdog_i)), .finished_i, .still_i,
    .halted_i, .waiting_i, .bus_idle_i(!owed_q), .bus_moves_i(moves_i), .clear_o(clear),
    .launch_o(launch), .hold_o(hold), .discard_o(discard), .busy_o(busy), .done_o(done),
    .ends_o(ends), .watchdog_o(watchdog), .outcome_o(outcome)
  );

  // The bus owes what was asked for; stuck: cycles in which it owes and nothing moves; still: cycles of a
  // launch in which it owes nothing and no module can move.
  logic begun_q, clear_q, hold_q, ended_q, finished_q;
  logic [2:0] limit_q;
  logic [3:0] stuck_q, still_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    limit_q <= watchdog_i;
    owed_q <= rst_ni && ((asks_i && !hold) || (owed_q && !answer_i));
    clear_q <= rst_ni && clear;
    hold_q <= rst_ni && hold;
    ended_q <= rst_ni && ends && !reset_i;
    stuck_q <= !rst_ni || !owed_q || moves_i ? 4'd0 : stuck_q + 4'(stuck_q != 4'd15);
    still_q <= !rst_ni || hold || launch || owed_q || !still_i ? 4'd0 : still_q + 4'(still_q != 4'd15);
    finished_q <= rst_ni && !clear && (finished_q || (busy && finished_i));
  end

  // Who is still asks for nothing; the host sets the watchdog before it starts.
  always_comb begin
    assume (rst_ni == begun_q);
    assume (!begun_q || watchdog_i == limit_q);
    assume (!still_i || !asks_i);
    assume (!answer_i || moves_i);
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (hold || (busy && !clear && !discard));
      if (hold_q && !hold) assert (clear_q && !owed_q);
      if (launch) assert (busy && !owed_q);
      if (ends && owed_q) assert (watchdog_i != 3'd0 && stuck_q >= 4'(watchdog_i));
      if (ends && !owed_q && stuck_q < 4'(watchdog_i))
        assert (finished_q || 32'(still_q) >= vta_pkg::QuietCycles);
      if (busy && !hold && 32'(still_q) >= vta_pkg::QuietCycles) assert (ends);
      if (ended_q) assert (done && !busy);
    end
  end
endmodule
