# Three modules wait for tokens that nobody pushes.
load.inp x=0 pop_next
store.out x=0 pop_prev
gemm pop_next
finish
