# The shortest program.
finish
