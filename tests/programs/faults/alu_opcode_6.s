# No operation has this code, even where nothing would run.
alu.6
finish
