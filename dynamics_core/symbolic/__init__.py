"""Running algorithms on symbols: expression graphs, and the program of one function of a robot."""
