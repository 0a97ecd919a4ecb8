/// What AXI4 asks of both ends of a port, and what this manager promises beside: whole beats,
/// addresses that grow, no more beats and bursts than the parameters say, data not before its
/// address, answers taken soon. Each assertion is labelled with the end that has to keep it.
/// It has no outputs: simulation puts it beside the port; proofs assert the rules of one end and
/// assume those of the other.
/// Source: ARM IHI 0022, "AXI3 and AXI4 Protocol Specification"; the section stands at each rule.
module vta_axi_check #(
  parameter int AddressBits = 64,
  parameter int BusBits = 64,
  parameter int MaxBeats = 16,    // of a burst; 16 is what AXI3 has
  parameter int ReadBursts = 8,   // outstanding of an ID
  parameter int WriteBursts = 16,  // outstanding of all
  parameter int PatienceCycles = 8  // until an answer is taken
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   ar_valid_i,
  input logic                   ar_ready_i,
  input logic [AddressBits-1:0] ar_address_i,
  input logic [7:0]             ar_len_i,
  input logic [2:0]             ar_size_i,
  input logic [1:0]             ar_burst_i,
  input logic                   ar_lock_i,
  input logic [3:0]             ar_cache_i,
  input logic [2:0]             ar_prot_i,
  input logic [3:0]             ar_qos_i,
  input logic [1:0]             ar_id_i,
  input logic                   r_valid_i,
  input logic                   r_ready_i,
  input logic [BusBits-1:0]     r_data_i,
  input logic [1:0]             r_id_i,
  input logic [1:0]             r_resp_i,
  input logic                   r_last_i,
  input logic                   aw_valid_i,
  input logic                   aw_ready_i,
  input logic [AddressBits-1:0] aw_address_i,
  input logic [7:0]             aw_len_i,
  input logic [2:0]             aw_size_i,
  input logic [1:0]             aw_burst_i,
  input logic                   aw_lock_i,
  input logic [3:0]             aw_cache_i,
  input logic [2:0]             aw_prot_i,
  input logic [3:0]             aw_qos_i,
  input logic [1:0]             aw_id_i,
  input logic                   w_valid_i,
  input logic                   w_ready_i,
  input logic [BusBits-1:0]     w_data_i,
  input logic [BusBits/8-1:0]   w_strb_i,
  input logic                   w_last_i,
  input logic                   b_valid_i,
  input logic                   b_ready_i,
  input logic [1:0]             b_id_i,
  input logic [1:0]             b_resp_i
);
  localparam int Ids = 4;
  localparam int LogBeat = $clog2(BusBits / 8);
  localparam int ReadBits = $clog2(ReadBursts + 1), WriteBits = $clog2(WriteBursts + 1);
  localparam int RequestBits = AddressBits + 27;
  localparam logic [1:0] INCR = 2'b01, EXOKAY = 2'b01;

  // A reset was seen at the edge before: what is VALID now was made so in it.
  logic reset_q = 1'b0;
  always_ff @(posedge clk_i) reset_q <= !rst_ni;

  // Reads: the lengths of what an ID is owed, oldest first, and the beats of the oldest that came.
  logic ar_held_q, r_held_q, ar_taken;
  logic [RequestBits-1:0] ar_request_q;
  logic [BusBits+4:0] r_beat_q;
  logic [7:0] r_late_q;
  logic [ReadBits-1:0] reads_q [0:Ids-1], first_read_q [0:Ids-1], next_read_q [0:Ids-1];
  logic [7:0] read_len_q [0:(Ids << ReadBits)-1], read_beat_q [0:Ids-1];

  assign ar_taken = ar_valid_i && ar_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_held_q <= 1'b0;
      r_held_q <= 1'b0;
      for (int i = 0; i < Ids; i++) begin
        reads_q[i] <= '0;
        first_read_q[i] <= '0;
        next_read_q[i] <= '0;
        read_beat_q[i] <= '0;
      end
    end else begin
      ar_held_q <= ar_valid_i && !ar_ready_i;
      r_held_q <= r_valid_i && !r_ready_i;
      if (reset_q) begin
        // Reset.
        manager_ar_reset: assert (!ar_valid_i);
        subordinate_r_reset: assert (!r_valid_i);
      end
      if (ar_held_q) begin
        // Handshake process: VALID stays until READY, and so does what it says.
        manager_ar_stays:
          assert (ar_valid_i && ar_request_q ==
                  {ar_address_i, ar_len_i, ar_size_i, ar_burst_i, ar_lock_i, ar_cache_i,
                   ar_prot_i, ar_qos_i, ar_id_i});
      end
      if (ar_valid_i) begin
        if (!ar_ready_i)
          ar_request_q <= {ar_address_i, ar_len_i, ar_size_i, ar_burst_i, ar_lock_i, ar_cache_i,
                           ar_prot_i, ar_qos_i, ar_id_i};
        // Address structure.
        manager_ar_length: assert (32'(ar_len_i) < MaxBeats);
        manager_ar_size: assert (ar_size_i == 3'(LogBeat));
        manager_ar_burst: assert (ar_burst_i == INCR);
        manager_ar_aligned: assert (ar_address_i[LogBeat-1:0] == '0);
        manager_ar_page:
          assert (13'(ar_address_i[11:0]) + ((13'(ar_len_i) + 13'd1) << LogBeat) <= 13'd4096);
        // Memory types: an allocate hint needs a transaction that may be modified.
        manager_ar_cache: assert (ar_cache_i[3:2] == 2'b00 || ar_cache_i[1]);
        // Exclusive accesses: this manager makes none.
        manager_ar_lock: assert (!ar_lock_i);
        manager_ar_room: assert (reads_q[ar_id_i] < ReadBits'(ReadBursts));
        if (ar_taken) begin
          read_len_q[{ar_id_i, next_read_q[ar_id_i]}] <= ar_len_i;
          next_read_q[ar_id_i] <= next_read_q[ar_id_i] + 1'b1;
          reads_q[ar_id_i] <= reads_q[ar_id_i] + 1'b1;
        end
      end
      if (r_held_q) begin
        subordinate_r_stays:
          assert (r_valid_i && {r_data_i, r_id_i, r_resp_i, r_last_i} == r_beat_q);
      end
      if (r_valid_i) begin
        if (!r_ready_i) begin
          r_beat_q <= {r_data_i, r_id_i, r_resp_i, r_last_i};
          manager_r_taken: assert (!r_held_q || 32'(r_late_q) < PatienceCycles);
          r_late_q <= r_held_q ? r_late_q + 8'd1 : 8'd1;
        end
        // Dependencies between channels: no data before its address was taken.
        subordinate_r_asked: assert (reads_q[r_id_i] != '0);
        // Read data channel: as many beats as were asked for, in the order of their ID.
        subordinate_r_last:
          assert (r_last_i == (read_beat_q[r_id_i] == read_len_q[{r_id_i, first_read_q[r_id_i]}]));
        // Response structure: EXOKAY answers only exclusive accesses.
        subordinate_r_response: assert (r_resp_i != EXOKAY);
        if (r_ready_i) begin
          read_beat_q[r_id_i] <= r_last_i ? 8'd0 : read_beat_q[r_id_i] + 8'd1;
          if (r_last_i) begin
            first_read_q[r_id_i] <= first_read_q[r_id_i] + 1'b1;
            reads_q[r_id_i] <= reads_q[r_id_i] - ReadBits'(!(ar_taken && ar_id_i == r_id_i));
          end
        end
      end
    end
  end

  // Writes: lengths and IDs of the bursts whose data is to come, oldest first; by ID, what is owed an
  // answer: bursts whose address was taken, and those whose data was.
  logic aw_held_q, w_held_q, b_held_q, aw_new;
  logic [RequestBits-1:0] aw_request_q;
  logic [BusBits+BusBits/8:0] w_beat_q;
  logic [3:0] b_answer_q;
  logic [7:0] b_late_q;
  logic [9:0] write_q [0:(1 << WriteBits)-1], write;
  logic [WriteBits-1:0] first_write_q, next_write_q, owed_q, addressed_q [0:Ids-1],
                        written_q [0:Ids-1];
  logic [7:0] write_beat_q;

  assign aw_new = aw_valid_i && !aw_held_q;
  assign write = !w_valid_i ? 'x : first_write_q == next_write_q ? {aw_id_i, aw_len_i} :
                 write_q[first_write_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q <= 1'b0;
      b_held_q <= 1'b0;
      first_write_q <= '0;
      next_write_q <= '0;
      owed_q <= '0;
      write_beat_q <= '0;
      for (int i = 0; i < Ids; i++) begin
        addressed_q[i] <= '0;
        written_q[i] <= '0;
      end
    end else begin
      aw_held_q <= aw_valid_i && !aw_ready_i;
      w_held_q <= w_valid_i && !w_ready_i;
      b_held_q <= b_valid_i && !b_ready_i;
      if (reset_q) begin
        manager_aw_reset: assert (!aw_valid_i);
        manager_w_reset: assert (!w_valid_i);
        subordinate_b_reset: assert (!b_valid_i);
      end
      if (aw_held_q) begin
        manager_aw_stays:
          assert (aw_valid_i && aw_request_q ==
                  {aw_address_i, aw_len_i, aw_size_i, aw_burst_i, aw_lock_i, aw_cache_i,
                   aw_prot_i, aw_qos_i, aw_id_i});
      end
      if (aw_valid_i) begin
        if (!aw_ready_i)
          aw_request_q <= {aw_address_i, aw_len_i, aw_size_i, aw_burst_i, aw_lock_i, aw_cache_i,
                           aw_prot_i, aw_qos_i, aw_id_i};
        manager_aw_length: assert (32'(aw_len_i) < MaxBeats);
        manager_aw_size: assert (aw_size_i == 3'(LogBeat));
        manager_aw_burst: assert (aw_burst_i == INCR);
        manager_aw_aligned: assert (aw_address_i[LogBeat-1:0] == '0);
        manager_aw_page:
          assert (13'(aw_address_i[11:0]) + ((13'(aw_len_i) + 13'd1) << LogBeat) <= 13'd4096);
        manager_aw_cache: assert (aw_cache_i[3:2] == 2'b00 || aw_cache_i[1]);
        manager_aw_lock: assert (!aw_lock_i);
        if (aw_new) begin
          manager_aw_room: assert (owed_q < WriteBits'(WriteBursts));
          write_q[next_write_q] <= {aw_id_i, aw_len_i};
          next_write_q <= next_write_q + 1'b1;
          owed_q <= owed_q + 1'b1;
        end
        if (aw_ready_i) addressed_q[aw_id_i] <= addressed_q[aw_id_i] + 1'b1;
      end
      if (w_held_q) begin
        manager_w_stays: assert (w_valid_i && {w_data_i, w_strb_i, w_last_i} == w_beat_q);
      end
      if (w_valid_i) begin
        if (!w_ready_i) w_beat_q <= {w_data_i, w_strb_i, w_last_i};
        manager_w_addressed: assert (first_write_q != next_write_q || aw_new);
        // Write data channel: WLAST with the last beat, and with no other.
        manager_w_last: assert (w_last_i == (write_beat_q == write[7:0]));
        if (w_ready_i) begin
          write_beat_q <= w_last_i ? 8'd0 : write_beat_q + 8'd1;
          if (w_last_i) begin
            first_write_q <= first_write_q + 1'b1;
            written_q[write[9:8]] <= written_q[write[9:8]] + 1'b1;
          end
        end
      end
      if (b_held_q) begin
        subordinate_b_stays: assert (b_valid_i && {b_id_i, b_resp_i} == b_answer_q);
      end
      if (b_valid_i) begin
        if (!b_ready_i) begin
          b_answer_q <= {b_id_i, b_resp_i};
          manager_b_taken: assert (!b_held_q || 32'(b_late_q) < PatienceCycles);
          b_late_q <= b_held_q ? b_late_q + 8'd1 : 8'd1;
        end
        // Dependencies between channels: no answer before the address and the last of the data.
        subordinate_b_asked: assert (addressed_q[b_id_i] != '0 && written_q[b_id_i] != '0);
        subordinate_b_response: assert (b_resp_i != EXOKAY);
        // What is counted up in this cycle for the same burst's ID stays as it is.
        if (b_ready_i) begin
          owed_q <= owed_q - WriteBits'(!aw_new);
          addressed_q[b_id_i] <= addressed_q[b_id_i] -
                                 WriteBits'(!(aw_valid_i && aw_ready_i && aw_id_i == b_id_i));
          written_q[b_id_i] <= written_q[b_id_i] -
                               WriteBits'(!(w_valid_i && w_ready_i && w_last_i &&
                                            write[9:8] == b_id_i));
        end
      end
    end
  end
endmodule
