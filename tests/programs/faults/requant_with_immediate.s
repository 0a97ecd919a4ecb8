# The operand of requant is a parameter block.
alu.requant imm=1
finish
