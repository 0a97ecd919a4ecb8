# The third row of the parameter block would be row 2048.
load.uop dram=kernel x=1
alu.requant uop=0:1
finish
.uop 0x1000
kernel: src=2046
