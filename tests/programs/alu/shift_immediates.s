# Right by min(n, 31), left by -n, 0 from 32 on; for n = 0, 1, 15, 16, 17, 31, 32, 32767, -1, -16, -17, -31, -32, -33, -32768.
# The first rows of the output are the low bytes of the results, the others their high bytes.
load.uop dram=kernel x=15
load.acc dram=input y=15 x=1 stride=0
alu.shr uop=0:1 imm=0
alu.shr uop=1:2 imm=1
alu.shr uop=2:3 imm=15
alu.shr uop=3:4 imm=16
alu.shr uop=4:5 imm=17
alu.shr uop=5:6 imm=31
alu.shr uop=6:7 imm=32
alu.shr uop=7:8 imm=32767
alu.shr uop=8:9 imm=-1
alu.shr uop=9:10 imm=-16
alu.shr uop=10:11 imm=-17
alu.shr uop=11:12 imm=-31
alu.shr uop=12:13 imm=-32
alu.shr uop=13:14 imm=-33
alu.shr uop=14:15 imm=-32768 push_next
store.out dram=output x=15 pop_prev push_prev
alu.shr uop=0:1 in=15 dst=0,1 imm=24 pop_next push_next
store.out dram=output+15 x=15 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
dst=1
dst=2
dst=3
dst=4
dst=5
dst=6
dst=7
dst=8
dst=9
dst=10
dst=11
dst=12
dst=13
dst=14
.data
input:
.int -2147483648 -2147483647 -65536 -256 -2 -1 0 1 2 255 256 65535 305419896 2130706432 2147483646 2147483647
.data
output: .space 480
