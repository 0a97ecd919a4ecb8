/// vta_read gives each client the beats of its bursts, in order, and never has to hold R up; AR keeps what
/// it offers, and what it asks for is what was granted.
module read (
  input logic         clk_i, rst_ni, clear_i,
  input logic [2:0]   request_i, ready_i,
  input logic [143:0] address_i,
  input logic [23:0]  beats_i,
  input logic         ar_ready_i, r_valid_i,
  input logic [63:0]  r_data_i,
  input logic [1:0]   r_id_i, r_resp_i
);
  logic [2:0] grant, valid, error, idle;
  logic [191:0] data;
  logic ar_valid, r_ready, r_last;
  logic [47:0] ar_address;
  logic [7:0] ar_len;
  logic [1:0] ar_id;
  vta_read u_read (
    .clk_i, .rst_ni, .clear_i, .request_i, .address_i, .beats_i, .grant_o(grant), .valid_o(valid),
    .data_o(data), .error_o(error), .ready_i, .idle_o(idle), .ar_valid_o(ar_valid), .ar_ready_i,
    .ar_address_o(ar_address), .ar_len_o(ar_len), .ar_id_o(ar_id), .r_valid_i, .r_ready_o(r_ready),
    .r_data_i, .r_id_i, .r_resp_i, .r_last_i(r_last)
  );

  logic begun_q, held_q, clear_q, owed_q, owed;
  logic [57:0] ar_q;
  initial begun_q = 1'b0;
  logic [3:0] last, owes;
  assign r_last = last[r_id_i];
  assign {last[3], owes[3]} = 2'b00;

  assign owed = clear_q && !clear_i ? idle != 3'b111 : owed_q;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    held_q <= rst_ni && ar_valid && !ar_ready_i;
    clear_q <= rst_ni && clear_i;
    owed_q <= rst_ni && owed;
    ar_q <= {ar_address, ar_len, ar_id};
  end

  // One client: its bursts at memory, two at most, and the beat of one number, whichever that is.
  (* anyconst *) logic [1:0] which;
  (* anyconst *) logic [2:0] number;
  for (genvar c = 0; c < 3; c++) begin : g_client
    logic [7:0] left_q, next_q;  // beats of the bursts, 0: none
    logic [2:0] sent_q, got_q;   // beats by number
    logic [64:0] beat_q;         // of the number
    logic [55:0] asked_q;        // what AR is to offer
    logic taken, beat;
    assign taken = ar_valid && ar_ready_i && ar_id == 2'(c);
    assign beat = r_valid_i && r_id_i == 2'(c);
    assign owes[c] = left_q != 8'd0;
    assign last[c] = left_q == 8'd1;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        left_q <= 8'd0;
        next_q <= 8'd0;
      end else if (left_q == 8'd0 || (beat && last[c])) begin
        left_q <= next_q != 8'd0 ? next_q : taken ? ar_len + 8'd1 : 8'd0;
        next_q <= next_q != 8'd0 && taken ? ar_len + 8'd1 : 8'd0;
      end else begin
        left_q <= left_q - 8'(beat);
        if (taken) next_q <= ar_len + 8'd1;
      end
      sent_q <= !rst_ni || clear_i ? 3'd0 : sent_q + 3'(beat);
      got_q <= !rst_ni || clear_i ? 3'd0 : got_q + 3'(valid[c] && ready_i[c]);
      if (beat && sent_q == number) beat_q <= {r_resp_i[1], r_data_i};
      if (grant[c]) asked_q <= {address_i[48*c +: 48], beats_i[8*c +: 8]};
      if (rst_ni) begin
        assert (!taken || next_q == 8'd0);
        if (2'(c) == which) begin
          if (valid[c] && !owed) assert (sent_q != got_q);
          if (valid[c] && !owed && got_q == number) assert ({error[c], data[64*c +: 64]} == beat_q);
          if (ar_valid && ar_id == which)
            assert ({ar_address, ar_len} == asked_q);
          assert (idle[c] == (left_q == 8'd0 && !(ar_valid && ar_id == which)));
        end
        assert (!grant[c] || request_i[c]);
      end
    end
  end

  // Memory answers what was asked for. vta_control lets nobody ask, nor take, behind a clear that ended with
  // something owed. Bursts are not longer than there are, and inside a page.
  always_comb begin
    assume (rst_ni == begun_q);
    assume (rst_ni || clear_i);
    assume (!r_valid_i || owes[r_id_i]);
    assume (request_i == 3'b000 || (!clear_i && !owed));
    assume (which != 2'd3);
    for (int c = 0; c < 3; c++) begin
      assume (beats_i[8*c +: 8] < 8'(vta_pkg::BurstBeats));
      assume (address_i[48*c + 3 +: 2] + beats_i[8*c +: 2] < 3'(vta_pkg::BurstBeats));
      assume (address_i[48*c +: 3] == 3'd0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (r_ready);
      assert ((grant & (grant - 3'd1)) == 3'd0);
      assert (!ar_valid || ar_id != 2'd3);
      if (held_q) assert (ar_valid && {ar_address, ar_len, ar_id} == ar_q);
      if (ar_valid) assert ({1'b0, ar_address[11:0]} + 13'({ar_len, 3'd0}) < 13'd4096);
    end
  end
endmodule
