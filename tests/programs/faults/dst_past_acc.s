# The factor takes dst to row 2048 in the third trip.
load.uop dram=kernel x=1
gemm uop=0:1 in=3 dst=0,1 reset
finish
.uop 0x1000
kernel: dst=2046
