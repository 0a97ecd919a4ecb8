# src of the ALU is a row of acc.
load.uop dram=kernel x=1
alu.max uop=0:1 in=3 src=0,1
finish
.uop 0x1000
kernel: src=2046
