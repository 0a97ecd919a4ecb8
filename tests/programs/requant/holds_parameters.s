# The parameter block is read when src changes and held in between. Block A (row 10) doubles, block B (row 20) negates.
# 1: row 0 by A: 2. 2: row 10, the biases of A, by A: stays 0. 3: row 11, the multipliers of A, by A: clamped to 127.
# 4: row 1 by A, still held: 4. 5: row 2 by B: -3. 6: row 3 by A, read anew: 4 * 127 / 2^31 * 2^2 rounds to 0.
load.uop dram=kernel x=6
load.acc dram=input x=4
load.acc sram=10 dram=a x=3
load.acc sram=20 dram=b x=3
alu.requant uop=0:6 push_next
store.out dram=output x=4 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=10
dst=10 src=10
dst=11 src=10
dst=1 src=10
dst=2 src=20
dst=3 src=10
.data
input: .int 1*16 2*16 3*16 4*16
.data
a: .int 0*16 0x40000000*16 0x7f800002*16
.data
b: .int 0*16 -0x40000000*16 0x7f800001*16
.data
output: .byte 1*64
