# Each module may halt for itself; what the others do does not depend on it.
load.out x=0
load.inp x=0 pop_prev
store.inp x=0
finish
