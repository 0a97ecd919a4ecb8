# No memory has this type.
.config default arch.lut=false
load.6 x=1
finish
