# A pop may come before its push in the stream: the modules run side by side.
gemm pop_prev pop_next push_prev
load.inp x=0 push_next
store.out x=0 push_prev
load.inp x=0 pop_next
finish
