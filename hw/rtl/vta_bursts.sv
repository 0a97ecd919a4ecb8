/// Walks the rows of a two-dimensional transfer, for vta_cut to make bursts of. Where Limited, it ends
/// after limit_i elements, in the middle of a row if need be.
/// Timing: the first burst four cycles after start_i, and the walk of the next transfer starts three
/// cycles after it, or later; a row a cycle, where Limited every second one.
module vta_bursts #(
  parameter bit Limited = 1'b0
) (
  input  logic                            clk_i,
  input  logic                            clear_i,
  input  logic                            start_i,   // x_size_i and y_size_i are not 0
  input  logic [vta_pkg::AddressBits-1:0] base_i,
  input  logic [31:0]                     first_i,   // element
  input  logic [15:0]                     x_size_i,
  input  logic [15:0]                     y_size_i,
  input  logic [15:0]                     x_stride_i,
  input  logic [3:0]                      log_bytes_i,  // of an element
  input  logic [16:0]                     limit_i,   // 0 where not Limited
  input  logic                            serial_i,  // a row waits for those before it
  input  logic                            idle_i,    // nothing that was asked for is owed
  output logic                            ready_o,   // may start
  output logic                            busy_o,    // bursts are left, or may be
  output logic                            cut_o,     // the limit was met
  output logic                            valid_o,
  output logic [vta_pkg::AddressBits-1:0] address_o,
  output logic [7:0]                      beats_o,   // less one
  input  logic                            ready_i
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int SizeBits = 29;  // of a row, in bytes

  logic [AddressBits-1:0] row_q;     // byte address of the next row
  logic [AddressBits-1:0] step_q;    // to the next row; in the first cycle to the first one
  logic [31:0] stride_q;
  logic [SizeBits-1:0] size_q, row;  // bytes of a row less one, in the first cycle all of them
  logic [15:0] rows_q;               // left
  logic valid_q, first_q, last_q, serial_q;
  logic settled, ends, none, offer, take, cut_ready, cut_busy;

  assign offer = valid_q && settled && !none && !(serial_q && (cut_busy || !idle_i));
  assign take = offer && cut_ready;
  assign ready_o = !valid_q;
  assign busy_o = valid_q || cut_busy;

  if (Limited) begin : g_limit
    logic [16:0] limit_q;         // elements left
    logic [15:0] x_size_q;
    logic [3:0] log_bytes_q;
    logic [SizeBits-1:0] rest_q;  // they, in bytes, less one
    logic settled_q, less_q, none_q, cut_q;
    // What is left of the limit is compared in the cycle behind a change of it.
    assign settled = settled_q;
    assign none = none_q;
    assign ends = last_q || less_q;
    assign row = less_q ? rest_q : size_q;
    assign cut_o = cut_q;
    always_ff @(posedge clk_i) begin
      settled_q <= !start_i && !take;
      less_q <= limit_q < 17'(x_size_q);
      none_q <= limit_q == '0;
      rest_q <= (SizeBits'(limit_q) << log_bytes_q) - 1'b1;
      if (take) limit_q <= limit_q - 17'(x_size_q);
      if (valid_q && settled_q && less_q) cut_q <= 1'b1;
      if (start_i) begin
        limit_q <= limit_i;
        x_size_q <= x_size_i;
        log_bytes_q <= log_bytes_i;
        cut_q <= 1'b0;
      end
    end
  end else begin : g_whole
    logic unused_limit;
    assign unused_limit = ^limit_i;
    assign settled = !first_q;
    assign none = 1'b0;
    assign ends = last_q;
    assign row = size_q;
    assign cut_o = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) valid_q <= 1'b0;
    else if (start_i) valid_q <= 1'b1;
    else if ((take && ends) || (settled && none)) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    first_q <= start_i;
    if (first_q || take) row_q <= row_q + step_q;
    if (first_q) begin
      step_q <= AddressBits'(stride_q);
      size_q <= size_q - 1'b1;
    end
    if (take) begin
      last_q <= rows_q == 16'd2;
      rows_q <= rows_q - 16'd1;
    end
    if (start_i) begin
      row_q <= base_i;
      step_q <= AddressBits'(first_i) << log_bytes_i;
      stride_q <= 32'(x_stride_i) << log_bytes_i;
      size_q <= SizeBits'(x_size_i) << log_bytes_i;
      rows_q <= y_size_i;
      last_q <= y_size_i == 16'd1;
      serial_q <= serial_i;
    end
  end

  vta_cut #(.Burst(vta_pkg::BurstBeats), .Bits(SizeBits)) u_cut (
    .clk_i, .clear_i, .valid_i(offer), .address_i(row_q), .last_i(row),
    .ready_o(cut_ready), .busy_o(cut_busy), .valid_o, .address_o, .beats_o, .ready_i
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i && start_i) assert (!valid_q && x_size_i != '0 && y_size_i != '0);
  end
`endif
endmodule
