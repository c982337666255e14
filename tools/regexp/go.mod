module tidewatch.dev/regexp

go 1.26.0
