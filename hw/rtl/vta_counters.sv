/// The performance counters of one launch.
/// Units: as isa/spec/registers.h (HardwareCounter); stored elements are counted in beats inside.
module vta_counters (
  input  logic                            clk_i,
  input  logic                            clear_i,
  input  logic                            enable_i,
  input  logic [vta_pkg::Counters*10-1:0] add_i,    // by counter
  input  logic [4:0]                      select_i,
  output logic [63:0]                     value_o
);
  localparam int Width = 48;
  localparam int LogOutBeats = vta_pkg::LogBytesOut - vta_pkg::LogBeatBytes;
  localparam int Stored = vta_pkg::CounterElements + 4;

  logic [vta_pkg::Counters*Width-1:0] counts_q;

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < vta_pkg::Counters; i++) begin
      if (clear_i) counts_q[i*Width +: Width] <= '0;
      else if (enable_i && add_i[i*10 +: 10] != 10'd0)
        counts_q[i*Width +: Width] <= counts_q[i*Width +: Width] + Width'(add_i[i*10 +: 10]);
    end
  end

  always_comb begin
    value_o = '0;
    for (int i = 0; i < vta_pkg::Counters; i++) begin
      if (select_i == 5'(i)) value_o = 64'(counts_q[i*Width +: Width]);
    end
    if (select_i == 5'(Stored)) value_o = value_o >> LogOutBeats;
  end
endmodule
