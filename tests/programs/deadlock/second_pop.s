# Tokens are popped prev first: the one from load is taken, that from store never comes.
load.inp x=0 push_next
gemm pop_prev pop_next
finish
