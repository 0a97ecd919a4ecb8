# The operand of lut is a parameter block.
.config only_lut
alu.lut imm=1
finish
