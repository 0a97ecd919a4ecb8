# Shifts by another amount in each lane: 0, 1, 2, 15, 16, 30, 31, 32, 33, 2147483647, -1, -2, -16, -31, -32, -2147483648.
# The first rows of the output are the low bytes of the results, the others their high bytes.
load.uop dram=kernel x=1
load.acc dram=input x=6
alu.shr uop=0:1 in=5 dst=0,1 src=0,0 push_next
store.out dram=output x=5 pop_prev push_prev
alu.shr uop=0:1 in=5 dst=0,1 imm=24 pop_next push_next
store.out dram=output+5 x=5 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=5
.data
input:
.int -2147483648*16
.int -1*16
.int 1*16
.int 305419896*16
.int 2147483647*16
.int 0 1 2 15 16 30 31 32 33 2147483647 -1 -2 -16 -31 -32 -2147483648
.data
output: .space 160
