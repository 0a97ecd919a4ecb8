# mul is an extension, off here.
.config vta_0.0.2
alu.mul imm=1
finish
