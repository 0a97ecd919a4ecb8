/// AXI4 write master of the store module: OutstandingWrites bursts in flight, data in their order.
/// Timing: a burst that is granted shows on AW in the next cycle, its data on W in the one behind it or
/// the cycle after the data is there.
module vta_write (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            discard_i,  // finish the bursts without writing
  input  logic                            clear_error_i,
  input  logic                            request_i,
  input  logic [vta_pkg::AddressBits-1:0] address_i,
  input  logic [7:0]                      beats_i,    // less one
  output logic                            grant_o,
  input  logic                            data_valid_i,
  input  logic [vta_pkg::BusBits-1:0]     data_i,
  output logic                            data_ready_o,
  output logic                            idle_o,
  output logic                            error_o,
  output logic                            acked_o,
  output logic [8:0]                      acked_beats_o,
  // AXI4.
  output logic                            aw_valid_o,
  input  logic                            aw_ready_i,
  output logic [vta_pkg::AddressBits-1:0] aw_address_o,
  output logic [7:0]                      aw_len_o,
  output logic                            w_valid_o,
  input  logic                            w_ready_i,
  output logic [vta_pkg::BusBits-1:0]     w_data_o,
  output logic [vta_pkg::BusBits/8-1:0]   w_strb_o,
  output logic                            w_last_o,
  input  logic                            b_valid_i,
  output logic                            b_ready_o,
  input  logic [1:0]                      b_resp_i
);
  logic aw_valid_q, error_q, grant, data_full, answer_full, data_burst, answer_burst, free, load, last;
  logic w_valid_q, w_last_q, w_strobe_q;
  logic [vta_pkg::BusBits-1:0] w_data_q;
  logic [vta_pkg::AddressBits-1:0] aw_address_q;
  logic [7:0] aw_len_q, data_beats, answer_beats, beat_q;
  logic unused_resp;

  assign unused_resp = b_resp_i[0];
  assign grant = request_i && !discard_i && (!aw_valid_q || aw_ready_i) && !answer_full && !data_full;
  assign grant_o = grant;
  assign aw_valid_o = aw_valid_q;
  assign aw_address_o = aw_address_q;
  assign aw_len_o = aw_len_q;
  assign w_valid_o = w_valid_q;
  assign w_data_o = w_data_q;
  assign w_strb_o = {(vta_pkg::BusBits/8){w_strobe_q}};
  assign w_last_o = w_last_q;
  assign free = !w_valid_q || w_ready_i;
  assign load = data_burst && (data_valid_i || discard_i) && free;
  assign last = beat_q == data_beats;
  assign data_ready_o = data_burst && free;
  assign b_ready_o = 1'b1;
  assign idle_o = !answer_burst;  // which is there from the grant on
  assign error_o = error_q;
  assign acked_o = b_valid_i && !b_resp_i[1];
  assign acked_beats_o = 9'(answer_beats) + 9'd1;

  // Bursts whose data is to be sent, and bursts whose answer is to come.
  vta_queue #(.Width(8), .Depth(vta_pkg::OutstandingWrites)) u_data (
    .clk_i, .clear_i(!rst_ni), .push_i(grant), .data_i(beats_i), .full_o(data_full),
    .valid_o(data_burst), .data_o(data_beats), .pop_i(load && last)
  );
  vta_queue #(.Width(8), .Depth(vta_pkg::OutstandingWrites)) u_answer (
    .clk_i, .clear_i(!rst_ni), .push_i(grant), .data_i(beats_i), .full_o(answer_full),
    .valid_o(answer_burst), .data_o(answer_beats), .pop_i(b_valid_i)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
      beat_q <= '0;
      error_q <= 1'b0;
    end else begin
      if (!aw_valid_q || aw_ready_i) aw_valid_q <= grant;
      if (free) w_valid_q <= load;
      if (load) beat_q <= last ? 8'd0 : beat_q + 8'd1;
      if (clear_error_i) error_q <= 1'b0;
      else if (b_valid_i && b_resp_i[1]) error_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (grant) begin
      aw_address_q <= address_i;
      aw_len_q <= beats_i;
    end
    // What waits on W when all is to be discarded stays as it is.
    if (free) begin
      w_data_q <= data_i;
      w_last_q <= last;
      w_strobe_q <= !discard_i;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (b_valid_i || aw_valid_q) assert (answer_burst);
    end
  end
`endif
endmodule
