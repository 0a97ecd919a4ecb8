// Runs the self-test, RTL or netlist, and prints the first line that its UART sends, and its LEDs.
module bench;
  logic clk_i = 1'b0, rst_ni = 1'b0, pass_o, fail_o, uart_o;
  vta_selftest dut (.clk_i, .rst_ni, .pass_o, .fail_o, .uart_o);

  always #1 clk_i = !clk_i;
  initial begin
    repeat (8) @(posedge clk_i);
    rst_ni <= 1'b1;
    repeat (4000000) @(posedge clk_i);
    $display("nothing was sent");
    $finish;
  end

  task automatic skip(input int cycles);
    repeat (cycles) @(posedge clk_i);
  endtask
  logic [7:0] letter;
  initial begin
    @(posedge rst_ni);
    skip(8);
    forever receive();
  end
  task automatic receive();
    while (uart_o) @(posedge clk_i);
    skip(vta_selftest_pkg::BitCycles / 2);
    for (int i = 0; i < 8; i++) begin
      skip(vta_selftest_pkg::BitCycles);
      letter[i] = uart_o;
    end
    skip(vta_selftest_pkg::BitCycles);
    if (letter == 8'd10) begin
      $display("LEDs: pass %0d, fail %0d", pass_o, fail_o);
      $finish;
    end
    if (letter == 8'd13) $write("\n");
    else $write("%c", letter);
  endtask
endmodule
