# No operation has this code, even where nothing would run.
.config default arch.lut=false
alu.6
finish
