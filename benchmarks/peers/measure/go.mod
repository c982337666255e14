module tidewatch.dev/benchmarks/peers/measure

go 1.26.0
