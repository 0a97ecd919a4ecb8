/// The host's registers behind AXI4-Lite: one read and one write at a time; address and data of a
/// write come in any order. What RegisterReads and RegisterWrites do not allow answers SLVERR.
/// Timing: a write takes effect two cycles after the later of its address and data; R comes three
/// cycles after AR is taken.
/// Source: isa/spec/registers.h.
module vta_regs (
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
  output logic                                    start_o,
  output logic                                    reset_o,
  output logic [vta_pkg::AddressBits-1:0]         first_o,
  output logic [31:0]                             count_o,
  output logic [31:0]                             watchdog_o,
  output logic [5*64-1:0]                         bases_o,  // more bits than an address has
  input  logic                                    busy_i,
  input  logic                                    done_i,
  input  logic                                    ends_i,
  input  logic                                    expired_i,
  input  logic [2:0]                              outcome_i,
  // fetch, load, compute, store
  input  logic [4*16-1:0]                         states_i,
  input  logic [4*32-1:0]                         indices_i,
  // counter_i holds the counter a cycle after counter_read_o.
  output logic                                    counter_read_o,
  output logic [4:0]                              counter_o,
  input  logic [63:0]                             counter_i,
  output logic                                    interrupt_o
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int OffsetBits = vta_pkg::RegisterAddressBits;
  localparam int WordBits = $clog2(vta_pkg::RegisterWords);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  logic awake_q;  // out of reset: handshakes count
  logic start_q, reset_q, enable_q, pending_q;
  logic [63:0] first_q;
  logic [5*64-1:0] bases_q;
  logic [31:0] count_q, watchdog_q;
  logic unused_bits;

  assign start_o = start_q;
  assign reset_o = reset_q;
  assign first_o = {first_q[AddressBits-1:4], 4'd0};
  assign count_o = count_q;
  assign watchdog_o = watchdog_q;
  assign bases_o = bases_q;
  assign interrupt_o = pending_q && enable_q;
  assign unused_bits = ^{first_q, s_ar_address_i[1:0], s_aw_address_i[1:0]};

  // Writes: address and data are taken one by one, and answered together.
  logic aw_held_q, w_held_q, b_valid_q, write, writable;
  logic [OffsetBits-1:2] aw_word_q;
  logic [OffsetBits-1:0] aw_offset;
  logic [31:0] w_data_q;
  logic [3:0] w_strb_q;
  logic [1:0] b_resp_q;

  assign s_aw_ready_o = awake_q && !aw_held_q;
  assign s_w_ready_o = awake_q && !w_held_q;
  assign s_b_valid_o = b_valid_q;
  assign s_b_resp_o = b_resp_q;
  assign aw_offset = {aw_word_q, 2'd0};
  assign write = aw_held_q && w_held_q && !b_valid_q;
  assign writable = aw_word_q[OffsetBits-1:WordBits+2] == '0 &&
                    vta_pkg::RegisterWrites[aw_word_q[WordBits+1:2]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      awake_q <= 1'b0;
      aw_held_q <= 1'b0;
      w_held_q <= 1'b0;
      b_valid_q <= 1'b0;
      start_q <= 1'b0;
      reset_q <= 1'b0;
      enable_q <= 1'b0;
      pending_q <= 1'b0;
      first_q <= '0;
      count_q <= '0;
      watchdog_q <= '0;
      bases_q <= '0;
    end else begin
      awake_q <= 1'b1;
      start_q <= 1'b0;
      reset_q <= 1'b0;
      if (ends_i) pending_q <= 1'b1;
      if (s_aw_valid_i && s_aw_ready_o) aw_held_q <= 1'b1;
      if (s_w_valid_i && s_w_ready_o) w_held_q <= 1'b1;
      if (s_b_ready_i) b_valid_q <= 1'b0;
      if (write) begin
        aw_held_q <= 1'b0;
        w_held_q <= 1'b0;
        b_valid_q <= 1'b1;
        case (aw_offset)
          vta_pkg::RegControl: if (w_strb_q[0]) begin
            start_q <= w_data_q[0];
            reset_q <= w_data_q[1];
          end
          vta_pkg::RegInterruptEnable: if (w_strb_q[0]) enable_q <= w_data_q[0];
          vta_pkg::RegInterruptStatus: if (w_strb_q[0] && w_data_q[0]) pending_q <= ends_i;
          default: ;
        endcase
        for (int i = 0; i < 4; i++) begin
          if (w_strb_q[i]) begin
            case (aw_offset)
              vta_pkg::RegInstructionAddressLow: first_q[8*i +: 8] <= w_data_q[8*i +: 8];
              vta_pkg::RegInstructionAddressHigh: first_q[32 + 8*i +: 8] <= w_data_q[8*i +: 8];
              vta_pkg::RegInstructionCount: count_q[8*i +: 8] <= w_data_q[8*i +: 8];
              vta_pkg::RegWatchdogCycles: watchdog_q[8*i +: 8] <= w_data_q[8*i +: 8];
              default: ;
            endcase
            for (int word = 0; word < 10; word++)
              if (aw_offset == vta_pkg::RegBase + OffsetBits'(4 * word))
                bases_q[32*word + 8*i +: 8] <= w_data_q[8*i +: 8];
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (s_aw_valid_i && s_aw_ready_o) aw_word_q <= s_aw_address_i[OffsetBits-1:2];
    if (s_w_valid_i && s_w_ready_o) begin
      w_data_q <= s_w_data_i;
      w_strb_q <= s_w_strb_i;
    end
    if (write) b_resp_q <= writable ? OKAY : SLVERR;
  end

  // Reads: the address, then one word of each group, then the one of them that is asked for.
  logic selecting_q, answering_q, r_valid_q, readable, of_module, of_counter;
  logic [OffsetBits-1:2] ar_word_q;
  logic [OffsetBits-1:0] ar_offset;
  logic [1:0] unit;
  logic [31:0] word_q, unit_index_q, r_data_q;
  logic [AddressBits-1:0] unit_address;
  logic [1:0] r_resp_q;

  assign s_ar_ready_o = awake_q && !selecting_q && !answering_q && !r_valid_q;
  assign s_r_valid_o = r_valid_q;
  assign s_r_data_o = r_data_q;
  assign s_r_resp_o = r_resp_q;
  assign ar_offset = {ar_word_q, 2'd0};
  assign readable = ar_word_q[OffsetBits-1:WordBits+2] == '0 &&
                    vta_pkg::RegisterReads[ar_word_q[WordBits+1:2]];
  assign of_module = ar_offset[11:6] == vta_pkg::RegModule[11:6];
  assign of_counter = ar_offset[11:8] == vta_pkg::RegCounter[11:8];
  assign unit = ar_offset[5:4];
  assign unit_address = !answering_q ? 'x : first_o + AddressBits'({unit_index_q, 4'd0});
  assign counter_read_o = selecting_q;
  assign counter_o = ar_offset[7:3];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      selecting_q <= 1'b0;
      answering_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      selecting_q <= s_ar_valid_i && s_ar_ready_o;
      answering_q <= selecting_q;
      if (answering_q) r_valid_q <= 1'b1;
      else if (s_r_ready_i) r_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (s_ar_valid_i && s_ar_ready_o) ar_word_q <= s_ar_address_i[OffsetBits-1:2];
    if (selecting_q) begin
      unit_index_q <= indices_i[unit*32 +: 32];
      word_q <= '0;
      case (ar_offset)
        vta_pkg::RegStatus: word_q <= {25'd0, outcome_i, 1'b0, expired_i, done_i, busy_i};
        vta_pkg::RegInterruptEnable: word_q <= {31'd0, enable_q};
        vta_pkg::RegInterruptStatus: word_q <= {31'd0, pending_q};
        vta_pkg::RegId: word_q <= vta_pkg::HardwareId;
        vta_pkg::RegArchHashLow: word_q <= vta_pkg::ArchHash[31:0];
        vta_pkg::RegArchHashHigh: word_q <= vta_pkg::ArchHash[63:32];
        vta_pkg::RegTimingHashLow: word_q <= vta_pkg::TimingHash[31:0];
        vta_pkg::RegTimingHashHigh: word_q <= vta_pkg::TimingHash[63:32];
        vta_pkg::RegInstructionAddressLow: word_q <= first_q[31:0];
        vta_pkg::RegInstructionAddressHigh: word_q <= first_q[63:32];
        vta_pkg::RegInstructionCount: word_q <= count_q;
        vta_pkg::RegWatchdogCycles: word_q <= watchdog_q;
        default: begin
          for (int word = 0; word < 10; word++)
            if (ar_offset == vta_pkg::RegBase + OffsetBits'(4 * word))
              word_q <= bases_q[32*word +: 32];
          if (of_module) word_q <= {16'd0, states_i[unit*16 +: 16]};
        end
      endcase
    end
    if (answering_q) begin
      r_resp_q <= readable ? OKAY : SLVERR;
      r_data_q <= word_q;
      if (of_counter) r_data_q <= ar_offset[2] ? counter_i[63:32] : counter_i[31:0];
      if (of_module) begin
        case (ar_offset[3:2])
          2'd1: r_data_q <= unit_index_q;
          2'd2: r_data_q <= unit_address[31:0];
          2'd3: r_data_q <= 32'(unit_address[AddressBits-1:32]);
          default: ;
        endcase
      end
    end
  end
endmodule
