"""Find the few tools a query needs among hundreds, and say when none fits."""
