// Holds the netlist of the cells to their RTL: random rows, often the same ones, read and written at once.
module bench;
  logic clk = 1'b0, write, read;
  logic [14:0] write_row, read_row;
  logic [35:0] data;
  logic [157:0] rtl, netlist;
  int wrong = 0;

  cells u_rtl (
    .clk_i(clk), .write_i(write), .read_i(read), .write_row_i(write_row), .read_row_i(read_row), .data_i(data),
    .by_36_o(rtl[35:0]), .by_18_o(rtl[53:36]), .by_9_o(rtl[62:54]), .by_4_o(rtl[66:63]), .table_o(rtl[84:67]),
    .signed_o(rtl[120:85]), .unsigned_o(rtl[156:121]), .by_1_o(rtl[157])
  );
  cells_netlist u_netlist (
    .clk_i(clk), .write_i(write), .read_i(read), .write_row_i(write_row), .read_row_i(read_row), .data_i(data),
    .by_36_o(netlist[35:0]), .by_18_o(netlist[53:36]), .by_9_o(netlist[62:54]), .by_4_o(netlist[66:63]),
    .table_o(netlist[84:67]), .signed_o(netlist[120:85]), .unsigned_o(netlist[156:121]),
    .by_1_o(netlist[157])
  );

  // What was never written is not compared: every row is written first.
  int cycle = 0;
  always #1 clk = !clk;
  always @(negedge clk) begin
    write <= cycle < 32768 || $urandom_range(1) == 1;
    read <= cycle >= 32768 && $urandom_range(3) != 0;
    write_row <= cycle < 32768 ? 15'(cycle) : 15'($urandom_range(7) * 4681);
    read_row <= 15'($urandom_range(7) * 4681 + ($urandom_range(15) == 0 ? 1 : 0));
    data <= {4'($urandom), $urandom};
    cycle <= cycle + 1;
    if (cycle > 32772 && rtl != netlist) begin
      wrong <= wrong + 1;
      if (wrong < 5) $display("cycle %0d: %h is %h", cycle, rtl, netlist);
    end
    if (cycle == 200000) begin
      $display("%0d cycles, %0d wrong", cycle, wrong);
      $finish;
    end
  end
endmodule
