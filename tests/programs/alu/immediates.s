# Each operation with an immediate, on lanes -8 to 7. src is not used.
load.uop dram=kernel x=5
load.acc dram=input x=5
alu.min uop=0:1 imm=-3
alu.max uop=1:2 imm=2
alu.add uop=2:3 imm=100
alu.shr uop=3:4 imm=1
alu.mul uop=4:5 imm=-5 push_next
store.out dram=output x=5 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=5
dst=1 src=5
dst=2 src=5
dst=3 src=5
dst=4 src=5
.data
input:
.int -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7
.int -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7
.int -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7
.int -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7
.int -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7
.data
output: .space 80
