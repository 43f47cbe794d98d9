#!/bin/sh
# Starts the Python that SLACKWATER_PYTHON names, without Spark's own archives on its path. Spark puts pyspark.zip, py4j and
# a jar in front of everything: modules in an archive are compiled anew by every process, and the jar's table of contents
# is read for every import. The installed pyspark is the same, and compiled.
set -f
IFS=:
kept=
for entry in $PYTHONPATH; do
  case $entry in
    */pyspark.zip | */py4j-*-src.zip | */spark-core_*.jar) ;;
    *) kept=$kept${kept:+:}$entry ;;
  esac
done
# The process that is asked for the layout of a query's state prints a page of types for every query. What fails there is
# said by Spark.
case $* in
  *transform_with_state_driver_worker*) exec > /dev/null ;;
esac
PYTHONPATH=$kept exec "${SLACKWATER_PYTHON:?is set by sw.session(): start the session with it}" "$@"
