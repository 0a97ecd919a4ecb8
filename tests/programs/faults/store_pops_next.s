# Store has no next module.
store.out x=0 pop_next
finish
