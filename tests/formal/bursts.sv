/// vta_bursts asks for the bursts of each row, in their order, and for no other ones; where a transfer is
/// serial, a row's only when nothing is owed. Without a limit, one transfer may follow another that is
/// still being asked for.
module bursts #(
  parameter bit Limited = 1'b1
) (
  input logic        clk_i, clear_i, start_i, ready_i, answer_i, serial_i,
  input logic [47:0] base_i,
  input logic [31:0] first_i,
  input logic [15:0] x_size_i, y_size_i, x_stride_i,
  input logic [3:0]  log_bytes_i,
  input logic [16:0] limit_i
);
  logic idle, free, busy, cut, valid;
  logic [47:0] address;
  logic [7:0] beats;
  vta_bursts #(.Limited(Limited)) u_bursts (
    .clk_i, .clear_i, .start_i, .base_i, .first_i, .x_size_i, .y_size_i, .x_stride_i,
    .log_bytes_i, .limit_i, .serial_i, .idle_i(idle), .ready_o(free), .busy_o(busy), .cut_o(cut),
    .valid_o(valid), .address_o(address), .beats_o(beats), .ready_i
  );

  // The walk: the row that bursts are due of, where the next one begins, and the transfer behind it.
  localparam int Bits = 48 + 16 + 16 + 16 + 4 + 17 + 1;
  logic begun_q, walks_q, more_q, fresh_q, owed_q, met_q, known_q, past, taken, ends, done;
  logic [Bits-1:0] given, more_data_q;
  logic [47:0] row_q, at_q, at, last, next;
  logic [15:0] x_q, y_q, stride_q, elements;
  logic [3:0] log_q;
  logic [16:0] limit_q;
  logic serial_q;
  logic [2:0] late_q;
  initial begun_q = 1'b0;
  assign given = {base_i + (48'(first_i) << log_bytes_i), x_size_i, y_size_i, x_stride_i,
                  log_bytes_i, limit_i, serial_i};
  assign idle = !owed_q;
  assign taken = valid && ready_i;
  assign past = Limited && limit_q < 17'(x_q);
  assign elements = past ? limit_q[15:0] : x_q;
  assign last = row_q + (48'(elements) << log_q) - 48'd1;  // byte of the row
  assign at = fresh_q ? {row_q[47:3], 3'd0} : at_q;
  assign next = at + ((48'(beats) + 48'd1) << 3);
  assign ends = next > last;
  assign done = taken && ends && (y_q == 16'd1 || (Limited && limit_q == 17'(elements)));
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    owed_q <= begun_q && (taken || (owed_q && !answer_i));
    late_q <= !begun_q || !walks_q || valid || owed_q ? 3'd0 : late_q + 3'd1;
    if (taken) at_q <= next;
    if (clear_i) begin
      walks_q <= 1'b0;
      more_q <= 1'b0;
      known_q <= 1'b0;
    end else begin
      if (start_i && walks_q && !done) begin
        more_q <= 1'b1;
        more_data_q <= given;
      end
      if ((start_i && !walks_q) || (done && (start_i || more_q))) begin
        {row_q, x_q, y_q, stride_q, log_q, limit_q, serial_q} <= more_q ? more_data_q : given;
        walks_q <= !Limited || limit_i != 17'd0;
        more_q <= 1'b0;
        fresh_q <= 1'b1;
        known_q <= 1'b1;
        met_q <= Limited && limit_i < 17'(x_size_i);
      end else if (taken) begin
        fresh_q <= ends;
        if (ends) begin
          walks_q <= !done;
          row_q <= row_q + (48'(stride_q) << log_q);
          y_q <= y_q - 16'd1;
          limit_q <= limit_q - 17'(elements);
          if (y_q != 16'd1 && Limited && limit_q - 17'(elements) < 17'(x_q)) met_q <= 1'b1;
        end
      end
    end
  end

  // Whole elements from a base that is aligned to them and to a beat; few, so that all is soon over.
  always_comb begin
    assume (begun_q || clear_i);
    assume (!start_i || (free && !clear_i && (Limited ? !busy : !more_q)));
    assume (x_size_i != 16'd0 && x_size_i < 16'd6 && y_size_i != 16'd0 && y_size_i < 16'd4);
    assume (x_stride_i < 16'd8 && first_i < 32'd4 && limit_i < 17'd8);
    assume (log_bytes_i == 4'd2 || log_bytes_i == 4'd4);
    assume (base_i[47:6] == 42'd0 && base_i[3:0] == 4'd0);
    assume (Limited || !serial_i);
  end
  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      assert (busy || !walks_q);
      if (valid) begin
        assert (walks_q);
        assert (address == at);
        // Up to the row's end, or else the block's.
        assert (32'(at[4:3]) + 32'(beats) < vta_pkg::BurstBeats);
        assert (next - last <= 48'd8 || 32'(at[4:3]) + 32'(beats) == vta_pkg::BurstBeats - 1);
        assert (at <= last);
        if (serial_q && fresh_q) assert (!owed_q);
      end
      assert (late_q < 3'd6);
      if (known_q && !busy && !walks_q) assert (cut == met_q);
    end
  end
endmodule
