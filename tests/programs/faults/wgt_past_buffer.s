# The third weight element would be element 1024.
load.uop dram=kernel x=1
gemm uop=0:1 out=3 wgt=1,0
finish
.uop 0x1000
kernel: wgt=1022
