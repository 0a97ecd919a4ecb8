# Only OUT can be stored.
store.uop x=1
finish
