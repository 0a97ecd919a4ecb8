/// vta_write sends each burst that is granted once, its data in order and whole; what AW and W offer stays
/// until it is taken, and what is loaded while all is discarded is not strobed.
module write (
  input logic        clk_i, rst_ni, discard_i, clear_error_i, request_i, data_valid_i,
  input logic [47:0] address_i,
  input logic [7:0]  beats_i,
  input logic [63:0] data_i,
  input logic        aw_ready_i, w_ready_i, b_valid_i,
  input logic [1:0]  b_resp_i
);
  logic grant, data_ready, idle, error, acked, aw_valid, w_valid, w_last, b_ready;
  logic [8:0] acked_beats;
  logic [47:0] aw_address;
  logic [7:0] aw_len, w_strb;
  logic [63:0] w_data;
  vta_write u_write (
    .clk_i, .rst_ni, .discard_i, .clear_error_i, .request_i, .address_i, .beats_i, .grant_o(grant),
    .data_valid_i, .data_i, .data_ready_o(data_ready), .idle_o(idle), .error_o(error),
    .acked_o(acked), .acked_beats_o(acked_beats), .aw_valid_o(aw_valid), .aw_ready_i,
    .aw_address_o(aw_address), .aw_len_o(aw_len), .w_valid_o(w_valid), .w_ready_i,
    .w_data_o(w_data), .w_strb_o(w_strb), .w_last_o(w_last), .b_valid_i, .b_ready_o(b_ready),
    .b_resp_i
  );

  // Bursts by number: granted, on AW, with all data, answered; of one of them what was granted. Beats by
  // number: loaded, sent; one of them.
  (* anyconst *) logic [2:0] burst, beat;
  logic begun_q, aw_held_q, w_held_q, error_q, load, sent, dropped_q;
  logic [2:0] granted_q, asked_q, whole_q, answered_q, loaded_q, sent_q;
  logic [7:0] length_q, at_q;
  logic [47:0] address_q;
  logic [63:0] data_q;
  logic [55:0] aw_q;
  logic [72:0] w_q;
  initial begun_q = 1'b0;
  assign load = data_ready && (data_valid_i || discard_i);
  assign sent = w_valid && w_ready_i;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    aw_held_q <= rst_ni && aw_valid && !aw_ready_i;
    w_held_q <= rst_ni && w_valid && !w_ready_i;
    aw_q <= {aw_address, aw_len};
    w_q <= {w_last, w_strb, w_data};
    if (!rst_ni) begin
      {granted_q, asked_q, whole_q, answered_q, loaded_q, sent_q} <= 18'd0;
      at_q <= 8'd0;
      error_q <= 1'b0;
    end else begin
      granted_q <= granted_q + 3'(grant);
      asked_q <= asked_q + 3'(aw_valid && aw_ready_i);
      whole_q <= whole_q + 3'(sent && w_last);
      answered_q <= answered_q + 3'(b_valid_i);
      loaded_q <= loaded_q + 3'(load);
      sent_q <= sent_q + 3'(sent);
      at_q <= !sent ? at_q : w_last ? 8'd0 : at_q + 8'd1;
      error_q <= !clear_error_i && (error_q || (b_valid_i && b_resp_i[1]));
    end
    if (grant && granted_q == burst) begin
      address_q <= address_i;
      length_q <= beats_i;
    end
    if (load && loaded_q == beat) begin
      data_q <= data_i;
      dropped_q <= discard_i;
    end
  end

  // Memory answers bursts that are whole, and takes no data ahead of its request.
  always_comb begin
    assume (rst_ni == begun_q);
    assume (!b_valid_i || (answered_q != whole_q && answered_q != asked_q));
    assume (!w_ready_i || whole_q != asked_q);
    assume (beats_i < 8'(vta_pkg::BurstBeats));
    assume (address_i[11:5] == 7'd0 && address_i[2:0] == 3'd0);
    assume (3'(address_i[4:3]) + 3'(beats_i[1:0]) < 3'(vta_pkg::BurstBeats));
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (b_ready);
      assert (!grant || (request_i && !discard_i));
      assert (3'(granted_q - answered_q) <= 3'(vta_pkg::OutstandingWrites));
      assert (idle == (granted_q == answered_q));
      assert (error == error_q);
      assert (acked == (b_valid_i && !b_resp_i[1]));
      if (b_valid_i && answered_q == burst) assert (acked_beats == 9'(length_q) + 9'd1);
      if (aw_held_q) assert (aw_valid && {aw_address, aw_len} == aw_q);
      if (w_held_q) assert (w_valid && {w_last, w_strb, w_data} == w_q);
      assert (aw_valid == (asked_q != granted_q));
      if (aw_valid && asked_q == burst) assert (aw_address == address_q && aw_len == length_q);
      assert (w_valid == (sent_q != loaded_q));
      if (w_valid) begin
        assert (whole_q != granted_q);
        if (whole_q == burst) assert (w_last == (at_q == length_q));
        if (sent_q == beat) assert (w_strb == (dropped_q ? 8'd0 : 8'hff));
        if (sent_q == beat && !dropped_q) assert (w_data == data_q);
      end
    end
  end
endmodule
