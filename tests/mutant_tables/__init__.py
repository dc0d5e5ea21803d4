"""The faults that `make mutants` seeds, by what they are of."""
