# Only OUT can be stored.
store.acc x=1
finish
