# There are 8192 micro-ops, though uop_end can say more; those before ran.
alu.add uop=8190:8193 imm=0
finish
