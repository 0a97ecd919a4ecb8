# FINISH waits for a store that gives no token back; what follows FINISH is not run.
load.uop dram=kernel x=1
load.acc dram=input x=1
alu.add uop=0:1 imm=0 push_next
store.out dram=output x=1 pop_prev
finish
store.out dram=after x=1
.uop
kernel: dst=0
.data
input: .int 9*16
.data
output: .space 16
after: .byte 3*16
