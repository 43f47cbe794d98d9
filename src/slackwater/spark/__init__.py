"""The Spark binding: the only package that imports pyspark. It translates and decides nothing."""
