# No instruction has this opcode; it goes to compute.
.word 6 0
finish
