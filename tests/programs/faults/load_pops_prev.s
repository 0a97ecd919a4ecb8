# Load has no previous module.
load.inp x=0 pop_prev
finish
