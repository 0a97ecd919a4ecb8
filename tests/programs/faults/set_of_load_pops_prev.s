# SET of a mode of load is an instruction of load.
set pad_load=1 pop_prev
finish
