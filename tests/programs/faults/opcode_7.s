# No instruction has this opcode; its token bits are not looked at.
.word 0x7f 0
finish
