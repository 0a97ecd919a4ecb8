// A scratchpad that two kernels share: one writes at port A, the other reads at port B; tokens keep them
// apart. Ports are those of the interface `bram`, addresses in bytes. Rows of any width: a generator of
// block memories ends at 4608 bits (PG058).
// Timing: what is read comes in the next cycle.
module vta_scratchpad #(
  parameter integer ROW_BYTES = 16,
  parameter integer ROWS = 64
) (
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA CLK" *)
  input  wire                   a_clk,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA RST" *)
  input  wire                   a_rst,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA EN" *)
  input  wire                   a_en,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA WE" *)
  input  wire [ROW_BYTES-1:0]   a_we,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA ADDR" *)
  input  wire [31:0]            a_addr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA DIN" *)
  input  wire [8*ROW_BYTES-1:0] a_din,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA DOUT" *)
  output wire [8*ROW_BYTES-1:0] a_dout,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB CLK" *)
  input  wire                   b_clk,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB RST" *)
  input  wire                   b_rst,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB EN" *)
  input  wire                   b_en,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB WE" *)
  input  wire [ROW_BYTES-1:0]   b_we,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB ADDR" *)
  input  wire [31:0]            b_addr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB DIN" *)
  input  wire [8*ROW_BYTES-1:0] b_din,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTB DOUT" *)
  output wire [8*ROW_BYTES-1:0] b_dout
);
  localparam integer Lsb = $clog2(ROW_BYTES);
  localparam integer Bits = $clog2(ROWS);

  reg [8*ROW_BYTES-1:0] rows [0:ROWS-1];
  reg [8*ROW_BYTES-1:0] read_q;
  integer i;
  wire unused_bits = ^{a_rst, a_addr, b_rst, b_we, b_addr, b_din};

  assign a_dout = {8*ROW_BYTES{1'b0}};
  assign b_dout = read_q;
  always @(posedge a_clk) begin
    if (a_en) begin
      for (i = 0; i < ROW_BYTES; i = i + 1)
        if (a_we[i]) rows[a_addr[Lsb +: Bits]][8*i +: 8] <= a_din[8*i +: 8];
    end
  end
  always @(posedge b_clk) begin
    if (b_en) read_q <= rows[b_addr[Lsb +: Bits]];
  end
endmodule
