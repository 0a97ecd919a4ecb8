# Compute faults at its second micro-op. The first is complete, the instruction pushes nothing. Load and store run on as
# far as they can: the second load waits for compute, the second store too.
load.uop dram=kernel x=1
load.acc dram=input x=1
alu.add uop=0:1 in=2 dst=0,2047 imm=1 push_prev push_next
load.inp dram=input x=4
load.inp dram=input x=1 pop_next
store.out sram=7 dram=output x=1
store.out sram=1 dram=output+1 x=1 pop_prev
finish
.uop
kernel: dst=1
.data
input: .int 5*16
.data
output: .byte 9*32
