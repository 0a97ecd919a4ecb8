# The last micro-op and the last accumulator row.
load.uop sram=8191 dram=kernel x=1
load.acc sram=2047 dram=input x=1
alu.add uop=8191:8192 imm=1 push_next
store.out sram=2047 dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=2047
.data
input: .int 3*16
.data
output: .space 16
