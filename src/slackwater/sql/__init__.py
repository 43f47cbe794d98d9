"""SQL with windows and contracts: text -> tokens -> tree -> the same plans as `sw.join`, `sw.aggregate` and others."""
