# lut is an extension, off here.
.config default arch.lut=false
alu.lut
finish
