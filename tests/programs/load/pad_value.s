# With pad_select a LOAD pads with the byte of SET, sign-extended in accumulators; without it, with 0.
# A SET changes what follows it in its own module.
load.uop dram=kernel x=2
load.wgt dram=identity x=1
load.inp sram=0 dram=input x=1 pad=0,0,1,0 pad_select
set pad_load=200
load.inp sram=2 dram=input x=1 pad=0,0,1,0 pad_select
load.inp sram=4 dram=input x=1 pad=0,0,1,0
set pad_load=127
load.inp sram=6 dram=input x=1 pad=0,0,0,1 pad_select push_next
gemm uop=0:1 in=8 dst=0,1 reset pop_prev
gemm uop=0:1 in=8 dst=0,1 src=0,1
load.acc sram=8 dram=row x=1 pad=0,0,1,0 pad_select
set pad_compute=128
load.acc sram=10 dram=row x=1 pad=1,0,0,0 pad_select
alu.shr uop=1:2 in=4 dst=0,1 imm=1 push_next
store.out dram=output x=12 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
dst=8
.data
input: .byte 5*16
.data
row: .int 6*16
.data
identity:
.byte 1 0*15
.byte 0 1 0*14
.byte 0*2 1 0*13
.byte 0*3 1 0*12
.byte 0*4 1 0*11
.byte 0*5 1 0*10
.byte 0*6 1 0*9
.byte 0*7 1 0*8
.byte 0*8 1 0*7
.byte 0*9 1 0*6
.byte 0*10 1 0*5
.byte 0*11 1 0*4
.byte 0*12 1 0*3
.byte 0*13 1 0*2
.byte 0*14 1 0
.byte 0*15 1
.data
output: .space 192
