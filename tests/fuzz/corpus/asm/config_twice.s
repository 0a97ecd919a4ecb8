.config isa=1.0 a.b=1 a.b=2 name.x=3
.code 0x40
finish
