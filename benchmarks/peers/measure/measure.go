// Package measure says what a program in Go costs, as measurement.ts does for those in Node.
package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// Report writes a line of JSON.
func Report(result map[string]any) { _ = json.NewEncoder(os.Stdout).Encode(result) }

// HeapAfterGC is the memory in use, in bytes, without garbage.
func HeapAfterGC() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// CPUSeconds is what all threads of this process have used.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

// PeakRssMb is not ru_maxrss, in which a process inherits the peak of the one that started it.
func PeakRssMb() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	_, _ = fmt.Sscan(rest, &kilobytes)
	return kilobytes / 1024
}
