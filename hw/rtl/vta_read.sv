/// AXI4 read master of three clients, lowest number first: 0 fetch, 1 compute, 2 load. A burst is
/// asked for only when the longest one's beats have room, so R is never held up.
/// Timing: a request that is granted shows on AR in the next cycle.
module vta_read (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              clear_i,
  // Requests and data, by client.
  input  logic [2:0]                        request_i,
  input  logic [3*vta_pkg::AddressBits-1:0] address_i,
  input  logic [23:0]                       beats_i,   // less one
  output logic [2:0]                        grant_o,
  output logic [2:0]                        valid_o,
  output logic [3*vta_pkg::BusBits-1:0]     data_o,
  output logic [2:0]                        error_o,
  input  logic [2:0]                        ready_i,
  output logic [2:0]                        idle_o,
  // AXI4.
  output logic                              ar_valid_o,
  input  logic                              ar_ready_i,
  output logic [vta_pkg::AddressBits-1:0]   ar_address_o,
  output logic [7:0]                        ar_len_o,
  output logic [1:0]                        ar_id_o,
  input  logic                              r_valid_i,
  output logic                              r_ready_o,
  input  logic [vta_pkg::BusBits-1:0]       r_data_i,
  input  logic [1:0]                        r_id_i,
  input  logic [1:0]                        r_resp_i,
  input  logic                              r_last_i
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int BusBits = vta_pkg::BusBits;

  logic [2:0] room, want, first, grant;
  logic free, ar_valid_q;
  logic [AddressBits-1:0] ar_address_q;
  logic [7:0] ar_len_q;
  logic [1:0] ar_id_q;
  logic unused_resp;

  assign unused_resp = r_resp_i[0];
  assign r_ready_o = 1'b1;
  assign free = !ar_valid_q || ar_ready_i;
  assign want = request_i & room;
  assign first = want[0] ? 3'b001 : want[1] ? 3'b010 : {want[2], 2'b00};
  assign grant = first & {3{free}};
  assign grant_o = grant;
  assign ar_valid_o = ar_valid_q;
  assign ar_address_o = ar_address_q;
  assign ar_len_o = ar_len_q;
  assign ar_id_o = ar_id_q;

  for (genvar c = 0; c < 3; c++) begin : g_client
    localparam int Beats =
        c == 0 ? vta_pkg::FetchBeats : vta_pkg::OutstandingReads * vta_pkg::BurstBeats < 4 ? 4 :
        vta_pkg::OutstandingReads * vta_pkg::BurstBeats;
    localparam int Burst = c == 0 ? vta_pkg::FetchBurst : vta_pkg::BurstBeats;
    vta_read_buffer #(.Beats(Beats), .Bursts(vta_pkg::OutstandingReads), .Burst(Burst)) u_buffer (
      .clk_i, .rst_ni, .clear_i, .room_o(room[c]), .grant_i(grant[c]),
      .beats_i(beats_i[c*8 +: 8]), .beat_i(r_valid_i && r_id_i == 2'(c)), .last_i(r_last_i),
      .error_i(r_resp_i[1]), .data_i(r_data_i), .valid_o(valid_o[c]),
      .data_o(data_o[c*BusBits +: BusBits]), .error_o(error_o[c]), .ready_i(ready_i[c]),
      .idle_o(idle_o[c])
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_valid_q <= 1'b0;
    end else if (free) begin
      ar_valid_q <= grant != 3'b000;
    end
  end

  always_ff @(posedge clk_i) begin
    if (free) begin
      ar_address_q <= first[0] ? address_i[0 +: AddressBits] :
                      first[1] ? address_i[AddressBits +: AddressBits] :
                      address_i[2*AddressBits +: AddressBits];
      ar_len_q <= first[0] ? beats_i[7:0] : first[1] ? beats_i[15:8] : beats_i[23:16];
      ar_id_q <= first[0] ? 2'd0 : first[1] ? 2'd1 : 2'd2;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (r_valid_i) assert (r_id_i != 2'd3);
    end
  end
`endif
endmodule
