/// Where an instruction goes, and what is illegal about it before it starts; anything without valid_i.
/// Timing: combinational.
/// Source: isa/spec/instructions.h (Route), isa/codec.cc (DecodeFault).
module vta_decode (
  input  logic         valid_i,
  input  logic [127:0] insn_i,
  output logic [1:0]   module_o,  // vta::isa::Module
  output logic [3:0]   fault_o
);
  localparam logic [1:0] ModuleLoad = 2'd0, ModuleCompute = 2'd1, ModuleStore = 2'd2;

  logic [2:0] opcode, memory_type, alu_opcode, mode;
  logic pads, dependency;
  logic [15:0] mode_high;
  logic unused_bits;

  assign opcode = insn_i[2:0];
  assign memory_type = insn_i[vta_pkg::LoadMemoryTypeLsb +: 3];
  assign alu_opcode = insn_i[vta_pkg::AluAluOpcodeLsb +: 3];
  assign mode = insn_i[vta_pkg::SetModeLsb +: 3];
  assign pads = (insn_i[vta_pkg::LoadYPadTopLsb +: 4] | insn_i[vta_pkg::LoadYPadBottomLsb +: 4] |
                 insn_i[vta_pkg::LoadXPadLeftLsb +: 4] | insn_i[vta_pkg::LoadXPadRightLsb +: 4])
                != 4'd0;
  assign unused_bits = ^insn_i;

  always_comb begin
    {module_o, dependency, mode_high, fault_o} = 'x;
    if (valid_i) begin
      module_o = ModuleCompute;
      if (opcode == vta_pkg::OP_STORE) begin
        module_o = ModuleStore;
      end else if (opcode == vta_pkg::OP_LOAD && vta_pkg::MemoryOfLoad[memory_type]) begin
        module_o = ModuleLoad;
      end else if (opcode == vta_pkg::OP_SET && vta_pkg::OpcodeExists[vta_pkg::OP_SET] &&
                   vta_pkg::ModeOfLoad[mode]) begin
        module_o = ModuleLoad;
      end

      // Pop and push towards a neighbour that the module does not have.
      dependency = 1'b0;
      if (module_o == ModuleLoad) begin
        dependency = insn_i[vta_pkg::LoadPopPrevLsb] || insn_i[vta_pkg::LoadPushPrevLsb];
      end else if (module_o == ModuleStore) begin
        dependency = insn_i[vta_pkg::LoadPopNextLsb] || insn_i[vta_pkg::LoadPushNextLsb];
      end

      mode_high = 16'(vta_pkg::ModeHighPadLoad);
      if (mode == vta_pkg::MODE_PAD_COMPUTE) mode_high = 16'(vta_pkg::ModeHighPadCompute);
      else if (mode == vta_pkg::MODE_ROUNDING) mode_high = 16'(vta_pkg::ModeHighRounding);

      fault_o = vta_pkg::FAULT_NONE;
      if (!vta_pkg::OpcodeExists[opcode]) begin
        fault_o = vta_pkg::FAULT_ILLEGAL_OPCODE;
      end else if (dependency) begin
        fault_o = vta_pkg::FAULT_ILLEGAL_DEPENDENCY;
      end else begin
        case (opcode)
          vta_pkg::OP_LOAD: begin
            if (!vta_pkg::MemoryLoadable[memory_type]) begin
              fault_o = vta_pkg::FAULT_ILLEGAL_MEMORY_TYPE;
            end else if (pads && !vta_pkg::MemoryMayPad[memory_type]) begin
              fault_o = vta_pkg::FAULT_ILLEGAL_PADDING;
            end
          end
          vta_pkg::OP_STORE: begin
            if (!vta_pkg::MemoryStorable[memory_type]) fault_o = vta_pkg::FAULT_ILLEGAL_MEMORY_TYPE;
          end
          vta_pkg::OP_ALU: begin
            if (!vta_pkg::AluOpExists[alu_opcode] ||
                (vta_pkg::AluOpBlock[alu_opcode] && insn_i[vta_pkg::AluUseImmLsb])) begin
              fault_o = vta_pkg::FAULT_ILLEGAL_ALU_OPERATION;
            end
          end
          vta_pkg::OP_SET: begin
            if (!vta_pkg::ModeExists[mode] ||
                insn_i[vta_pkg::SetValueLsb +: 16] > mode_high) begin
              fault_o = vta_pkg::FAULT_ILLEGAL_MODE;
            end
          end
          default: fault_o = vta_pkg::FAULT_NONE;
        endcase
      end
    end
  end
endmodule
