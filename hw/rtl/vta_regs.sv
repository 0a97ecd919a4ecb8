/// The host's registers behind AXI4-Lite: one read and one write at a time.
/// Source: isa/spec/registers.h.
module vta_regs (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              s_aw_valid_i,
  output logic                              s_aw_ready_o,
  input  logic [11:0]                       s_aw_address_i,
  input  logic                              s_w_valid_i,
  output logic                              s_w_ready_o,
  input  logic [31:0]                       s_w_data_i,
  output logic                              s_b_valid_o,
  input  logic                              s_b_ready_i,
  input  logic                              s_ar_valid_i,
  output logic                              s_ar_ready_o,
  input  logic [11:0]                       s_ar_address_i,
  output logic                              s_r_valid_o,
  input  logic                              s_r_ready_i,
  output logic [31:0]                       s_r_data_o,
  output logic                              start_o,
  output logic                              reset_o,
  output logic [vta_pkg::AddressBits-1:0]   first_o,
  output logic [31:0]                       count_o,
  output logic [31:0]                       watchdog_o,
  output logic [5*vta_pkg::AddressBits-1:0] bases_o,
  input  logic                              busy_i,
  input  logic                              done_i,
  input  logic                              ends_i,
  input  logic                              expired_i,
  input  logic [2:0]                        outcome_i,
  // fetch, load, compute, store
  input  logic [4*16-1:0]                   states_i,
  input  logic [4*32-1:0]                   indices_i,
  output logic                              counter_read_o,
  output logic [4:0]                        counter_o,
  input  logic [63:0]                       counter_i,
  output logic                              interrupt_o
);
  localparam int AddressBits = vta_pkg::AddressBits;

  logic b_valid_q, r_valid_q, enable_q, pending_q, write, read, start_q, reset_q;
  logic [31:0] r_data_q, r_data;
  logic [63:0] first_q, bases_q [0:4];
  logic [31:0] count_q, watchdog_q;
  logic [1:0] unit;
  logic [AddressBits-1:0] unit_address;
  logic [31:0] unit_index;
  logic unused_bits;

  assign write = s_aw_valid_i && s_w_valid_i && !b_valid_q;
  assign s_aw_ready_o = write;
  assign s_w_ready_o = write;
  assign s_b_valid_o = b_valid_q;
  assign s_ar_ready_o = !r_valid_q;
  assign read = s_ar_valid_i && !r_valid_q;
  assign s_r_valid_o = r_valid_q;
  assign s_r_data_o = r_data_q;
  assign start_o = start_q;
  assign reset_o = reset_q;
  assign first_o = {first_q[AddressBits-1:4], 4'd0};
  assign count_o = count_q;
  assign watchdog_o = watchdog_q;
  assign interrupt_o = pending_q && enable_q;
  assign unused_bits = ^{first_q, s_ar_address_i[1:0], s_aw_address_i[1:0]};
  for (genvar i = 0; i < 5; i++) begin : g_base
    assign bases_o[i*AddressBits +: AddressBits] = bases_q[i][AddressBits-1:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q <= 1'b0;
      start_q <= 1'b0;
      reset_q <= 1'b0;
      enable_q <= 1'b0;
      pending_q <= 1'b0;
      first_q <= '0;
      count_q <= '0;
      watchdog_q <= '0;
      for (int i = 0; i < 5; i++) bases_q[i] <= '0;
    end else begin
      start_q <= 1'b0;
      reset_q <= 1'b0;
      if (ends_i) pending_q <= 1'b1;
      if (write) b_valid_q <= 1'b1;
      else if (s_b_ready_i) b_valid_q <= 1'b0;
      if (write) begin
        case ({s_aw_address_i[11:2], 2'd0})
          vta_pkg::RegControl: begin
            start_q <= s_w_data_i[0];
            reset_q <= s_w_data_i[1];
          end
          vta_pkg::RegInterruptEnable: enable_q <= s_w_data_i[0];
          vta_pkg::RegInterruptStatus: if (s_w_data_i[0]) pending_q <= ends_i;
          vta_pkg::RegInstructionAddressLow: first_q[31:0] <= s_w_data_i;
          vta_pkg::RegInstructionAddressHigh: first_q[63:32] <= s_w_data_i;
          vta_pkg::RegInstructionCount: count_q <= s_w_data_i;
          vta_pkg::RegWatchdogCycles: watchdog_q <= s_w_data_i;
          default: begin
            for (int i = 0; i < 5; i++) begin
              if ({s_aw_address_i[11:2], 2'd0} == vta_pkg::RegBase + 12'(8 * i))
                bases_q[i][31:0] <= s_w_data_i;
              if ({s_aw_address_i[11:2], 2'd0} == vta_pkg::RegBase + 12'(8 * i + 4))
                bases_q[i][63:32] <= s_w_data_i;
            end
          end
        endcase
      end
    end
  end

  assign unit = s_ar_address_i[5:4];
  assign unit_index = indices_i[unit*32 +: 32];
  assign unit_address = first_o + AddressBits'({unit_index, 4'd0});
  assign counter_read_o = read;
  assign counter_o = s_ar_address_i[7:3];

  always_comb begin
    r_data = '0;
    if (read) case ({s_ar_address_i[11:2], 2'd0})
      vta_pkg::RegStatus: r_data = {25'd0, outcome_i, 1'b0, expired_i, done_i, busy_i};
      vta_pkg::RegInterruptEnable: r_data = {31'd0, enable_q};
      vta_pkg::RegInterruptStatus: r_data = {31'd0, pending_q};
      vta_pkg::RegId: r_data = vta_pkg::HardwareId;
      vta_pkg::RegArchHashLow: r_data = vta_pkg::ArchHash[31:0];
      vta_pkg::RegArchHashHigh: r_data = vta_pkg::ArchHash[63:32];
      vta_pkg::RegTimingHashLow: r_data = vta_pkg::TimingHash[31:0];
      vta_pkg::RegTimingHashHigh: r_data = vta_pkg::TimingHash[63:32];
      vta_pkg::RegInstructionAddressLow: r_data = first_q[31:0];
      vta_pkg::RegInstructionAddressHigh: r_data = first_q[63:32];
      vta_pkg::RegInstructionCount: r_data = count_q;
      vta_pkg::RegWatchdogCycles: r_data = watchdog_q;
      default: begin
        for (int i = 0; i < 5; i++) begin
          if ({s_ar_address_i[11:2], 2'd0} == vta_pkg::RegBase + 12'(8 * i))
            r_data = bases_q[i][31:0];
          if ({s_ar_address_i[11:2], 2'd0} == vta_pkg::RegBase + 12'(8 * i + 4))
            r_data = bases_q[i][63:32];
        end
        if (s_ar_address_i[11:6] == vta_pkg::RegModule[11:6]) begin
          case (s_ar_address_i[3:2])
            2'd0: r_data = {16'd0, states_i[unit*16 +: 16]};
            2'd1: r_data = unit_index;
            2'd2: r_data = unit_address[31:0];
            default: r_data = 32'(unit_address[AddressBits-1:32]);
          endcase
        end
        if (s_ar_address_i[11:8] == vta_pkg::RegCounter[11:8]) begin
          r_data = s_ar_address_i[2] ? counter_i[63:32] : counter_i[31:0];
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_valid_q <= 1'b0;
    else if (read) r_valid_q <= 1'b1;
    else if (s_r_ready_i) r_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (read) r_data_q <= r_data;
  end

`ifndef SYNTHESIS
  // An answer stays until the host takes it.
  logic b_held_q, r_held_q;
  logic [31:0] held_data_q;
  always_ff @(posedge clk_i) begin
    b_held_q <= b_valid_q && !s_b_ready_i;
    r_held_q <= r_valid_q && !s_r_ready_i;
    if (r_valid_q && !s_r_ready_i) held_data_q <= r_data_q;
    if (rst_ni) begin
      if (b_held_q) assert (b_valid_q);
      if (r_held_q) assert (r_valid_q && r_data_q == held_data_q);
    end
  end
`endif
endmodule
