"""Random plans over random streams, cut, killed and restored at random, against other ways to the same answer."""
