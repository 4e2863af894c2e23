"""The data of the report's pictures: loss against scale, its landscape, error against ε, outputs on two neighbours."""
