/// The reset of a clock domain: begins when rst_ni falls, however short, and ends with the second clock
/// edge after it rose. The registers behind it take it at a clock edge, as they take a clear.
module vta_reset (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);
  (* ASYNC_REG = "TRUE" *) logic rising_q, ended_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rising_q <= 1'b0;
      ended_q <= 1'b0;
    end else begin
      rising_q <= 1'b1;
      ended_q <= rising_q;
    end
  end
  assign rst_no = ended_q;
endmodule
