# Load waits for compute and compute for load.
load.inp x=0 pop_next push_next
gemm pop_prev push_prev
finish
