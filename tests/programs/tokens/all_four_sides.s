# One instruction may pop and push on both sides.
load.inp x=0 push_next
store.out x=0 push_prev
gemm pop_prev pop_next push_prev push_next
load.inp x=0 pop_next
store.out x=0 pop_prev
finish
