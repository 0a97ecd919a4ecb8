/// The accelerator for place and route alone, behind four pins: a shift register drives every input,
/// every output goes through a register into a signature. Each path of the design so ends in
/// registers beside it, and nothing of it is optimised away. Trace outputs are left open.
module vta_scan (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic scan_i,
  output logic scan_o
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int BusBits = vta_pkg::BusBits;
  localparam int InputBits = 73 + BusBits;
  localparam int OutputBits = 62 + 2 * AddressBits + BusBits + BusBits / 8;

  logic [1:0] reset_q;
  logic [InputBits-1:0] inputs_q;
  logic [OutputBits-1:0] outputs, outputs_q, signature_q;
  always_ff @(posedge clk_i) begin
    reset_q <= {reset_q[0], rst_ni};
    inputs_q <= {inputs_q[InputBits-2:0], scan_i};
    outputs_q <= outputs;
    signature_q <= {signature_q[OutputBits-2:0], scan_i} ^ outputs_q;
  end
  assign scan_o = signature_q[OutputBits-1];

  logic s_aw_valid, s_w_valid, s_b_ready, s_ar_valid, s_r_ready, ar_ready, r_valid, r_last,
        aw_ready, w_ready, b_valid;
  logic [11:0] s_aw_address, s_ar_address;
  logic [31:0] s_w_data;
  logic [BusBits-1:0] r_data;
  logic [1:0] r_id, r_resp, b_resp;
  assign {s_aw_valid, s_aw_address, s_w_valid, s_w_data, s_b_ready, s_ar_valid, s_ar_address,
          s_r_ready, ar_ready, r_valid, r_data, r_id, r_resp, r_last, aw_ready, w_ready, b_valid,
          b_resp} = inputs_q;

  logic s_aw_ready, s_w_ready, s_b_valid, s_ar_ready, s_r_valid, interrupt, ar_valid, r_ready,
        aw_valid, w_valid, w_last, b_ready;
  logic [31:0] s_r_data;
  logic [AddressBits-1:0] ar_address, aw_address;
  logic [7:0] ar_len, aw_len;
  logic [1:0] ar_id;
  logic [BusBits-1:0] w_data;
  logic [BusBits/8-1:0] w_strb;
  assign outputs = {s_aw_ready, s_w_ready, s_b_valid, s_ar_ready, s_r_valid, s_r_data, interrupt,
                    ar_valid, ar_address, ar_len, ar_id, r_ready, aw_valid, aw_address, aw_len,
                    w_valid, w_data, w_strb, w_last, b_ready};

  vta_core u_core (
    .clk_i, .rst_ni(reset_q[1]), .s_aw_valid_i(s_aw_valid), .s_aw_ready_o(s_aw_ready),
    .s_aw_address_i(s_aw_address), .s_w_valid_i(s_w_valid), .s_w_ready_o(s_w_ready),
    .s_w_data_i(s_w_data), .s_b_valid_o(s_b_valid), .s_b_ready_i(s_b_ready),
    .s_ar_valid_i(s_ar_valid), .s_ar_ready_o(s_ar_ready), .s_ar_address_i(s_ar_address),
    .s_r_valid_o(s_r_valid), .s_r_ready_i(s_r_ready), .s_r_data_o(s_r_data),
    .interrupt_o(interrupt), .ar_valid_o(ar_valid), .ar_ready_i(ar_ready),
    .ar_address_o(ar_address), .ar_len_o(ar_len), .ar_id_o(ar_id), .r_valid_i(r_valid),
    .r_ready_o(r_ready), .r_data_i(r_data), .r_id_i(r_id), .r_resp_i(r_resp), .r_last_i(r_last),
    .aw_valid_o(aw_valid), .aw_ready_i(aw_ready), .aw_address_o(aw_address), .aw_len_o(aw_len),
    .w_valid_o(w_valid), .w_ready_i(w_ready), .w_data_o(w_data), .w_strb_o(w_strb),
    .w_last_o(w_last), .b_valid_i(b_valid), .b_ready_o(b_ready), .b_resp_i(b_resp)
  );
endmodule
