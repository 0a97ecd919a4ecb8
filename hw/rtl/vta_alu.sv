/// One lane of the operations that take one cycle: result_o = op_i(a_i, b_i).
/// Timing: combinational.
/// Source: isa/spec/alu_ops.h.
module vta_alu (
  input  logic [2:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o
);
  logic less, far;
  logic [31:0] left_amount;

  assign less = $signed(a_i) < $signed(b_i);
  assign left_amount = -b_i;
  assign far = b_i[31] ? left_amount[31:5] != '0 : b_i[31:5] != '0;  // by 32 or more

  always_comb begin
    case (op_i)
      vta_pkg::ALU_MIN: result_o = less ? a_i : b_i;
      vta_pkg::ALU_MAX: result_o = less ? b_i : a_i;
      vta_pkg::ALU_SHR: begin
        if (b_i[31]) result_o = far ? 32'd0 : a_i << left_amount[4:0];
        else result_o = $signed(a_i) >>> (far ? 5'd31 : b_i[4:0]);
      end
      default: result_o = a_i + b_i;
    endcase
  end
endmodule
