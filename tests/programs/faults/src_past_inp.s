# src of GEMM is an input element.
load.uop dram=kernel x=1
gemm uop=0:1 out=3 src=1,0
finish
.uop 0x1000
kernel: src=2046
