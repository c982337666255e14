// Command client-go follows all pods of a server with a client-go shared informer and reports what that took: a line of
// JSON when the cache has synced, another when the last of the ordered events has reached the handler.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type options struct {
	server      string
	encoding    string
	events      int64
	lastVersion string
	dropManaged bool
}

func main() {
	var o options
	flag.StringVar(&o.server, "server", "", "the URL of the API server")
	flag.StringVar(&o.encoding, "encoding", "json", "json or protobuf")
	flag.Int64Var(&o.events, "events", 0, "how many events will come")
	flag.StringVar(&o.lastVersion, "last-version", "", "the resourceVersion of the last event")
	flag.BoolVar(&o.dropManaged, "drop-managed-fields", false, "drop managedFields by a transform")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options) error {
	// Said in both cases: what client-go asks for by itself has changed between versions.
	mediaType := "application/json"
	if o.encoding == "protobuf" {
		mediaType = "application/vnd.kubernetes.protobuf"
	}
	config := &rest.Config{Host: o.server, ContentConfig: rest.ContentConfig{
		AcceptContentTypes: mediaType, ContentType: mediaType,
	}}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var settings []informers.SharedInformerOption
	if o.dropManaged {
		settings = append(settings, informers.WithTransform(withoutManagedFields))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, settings...)
	informer := factory.Core().V1().Pods().Informer()
	events := watchEvents(o.lastVersion)
	if _, err := informer.AddEventHandler(events.handler()); err != nil {
		return err
	}

	heapBefore := heapAfterGC()
	cpuBefore := cpuSeconds()
	start := time.Now()
	stop := make(chan struct{})
	defer close(stop)
	factory.Start(stop)
	for !informer.HasSynced() {
		// WaitForCacheSync looks ten times a second, which is too seldom for a small cache.
		time.Sleep(time.Millisecond)
	}
	synced := time.Since(start)
	cpu := cpuSeconds() - cpuBefore
	peak := peakRssMb()
	objects := len(informer.GetStore().ListKeys())
	report(map[string]any{
		"objects": objects, "syncSeconds": synced.Seconds(), "cpuSeconds": cpu, "peakRssMb": peak,
		"heapBytesPerObject": float64(heapAfterGC()-heapBefore) / float64(objects),
	})
	if o.events == 0 {
		return nil
	}
	cpuBefore = cpuSeconds()
	<-events.done
	report(map[string]any{
		"eventsPerSecond":  float64(o.events) / events.seconds(),
		"eventsCpuSeconds": cpuSeconds() - cpuBefore,
		"eventsPeakRssMb":  peakRssMb(),
	})
	runtime.KeepAlive(informer)
	return nil
}

func withoutManagedFields(object any) (any, error) {
	if pod, ok := object.(*corev1.Pod); ok {
		pod.ManagedFields = nil
	}
	return object, nil
}

// From the first update that reaches the handler to the one with the last version.
type eventWatch struct {
	first, last atomic.Int64
	lastVersion string
	done        chan struct{}
}

func watchEvents(lastVersion string) *eventWatch {
	return &eventWatch{lastVersion: lastVersion, done: make(chan struct{})}
}

func (e *eventWatch) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {},
		UpdateFunc: func(_, object any) {
			e.first.CompareAndSwap(0, time.Now().UnixNano())
			if object.(*corev1.Pod).ResourceVersion == e.lastVersion {
				e.last.Store(time.Now().UnixNano())
				close(e.done)
			}
		},
	}
}

func (e *eventWatch) seconds() float64 { return float64(e.last.Load()-e.first.Load()) / 1e9 }

func report(result map[string]any) { _ = json.NewEncoder(os.Stdout).Encode(result) }

func heapAfterGC() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

// Not ru_maxrss, in which a process inherits the peak of the one that started it.
func peakRssMb() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	_, _ = fmt.Sscan(rest, &kilobytes)
	return kilobytes / 1024
}
