# Store has no next module.
store.out x=0 push_next
finish
