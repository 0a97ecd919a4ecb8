# ISA 0.0.2 has no SET.
.config vta_0.0.2
.word 5 0
finish
