# OUT cannot be loaded.
load.out x=1
finish
