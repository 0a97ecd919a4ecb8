# lut is an extension, off here.
.config default arch.lut=false
load.lut x=1
finish
