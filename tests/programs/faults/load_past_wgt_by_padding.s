# The pad element behind the last row.
load.wgt sram=1023 x=1 pad=0,0,0,1
finish
.data 0x10000
.byte 0
