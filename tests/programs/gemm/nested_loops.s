# Both loops and all six factors. Input element e is e + 1 in its first lane, weight element w is 2w - 3 in its first
# column. Micro-op u of trip (o, i) makes row 6u + 3o + i = (u + 3o + 1) * (2 * (u + 2i) - 3).
load.uop dram=kernel x=2
load.inp dram=input x=5
load.wgt dram=weights x=6 push_next
gemm uop=0:1 in=12 dst=0,1 reset pop_prev
gemm uop=0:2 out=2 in=3 dst=3,1 src=3,0 wgt=0,2 push_next
store.out dram=output x=12 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=0 wgt=0
dst=6 src=1 wgt=1
.data
input:
.byte 1 0*15
.byte 2 0*15
.byte 3 0*15
.byte 4 0*15
.byte 5 0*15
.data
weights:
.byte -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15 -3 0*15
.byte -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15 -1 0*15
.byte 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15 1 0*15
.byte 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15 3 0*15
.byte 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15 5 0*15
.byte 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15 7 0*15
.data
output: .space 192
