// What the library shows is in the archives that it is linked from.
