"""Speed, next to scikit-learn and to the matrix products that no sweep can do without."""
