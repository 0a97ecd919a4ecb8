// What a kernel published last: a port of mode ap_vld says something only while its valid is high.
module vta_hold #(
  parameter integer WIDTH = 32
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 ap_clk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_RESET ap_rst_n" *)
  input  wire             ap_clk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 ap_rst_n RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire             ap_rst_n,
  input  wire [WIDTH-1:0] value,
  input  wire             value_ap_vld,
  output wire [WIDTH-1:0] held
);
  reg [WIDTH-1:0] held_q;

  assign held = held_q;
  always @(posedge ap_clk) begin
    if (!ap_rst_n) held_q <= {WIDTH{1'b0}};
    else if (value_ap_vld) held_q <= value;
  end
endmodule
