// Command client-go follows all objects of one kind with a client-go shared informer and reports what that took: a line of
// JSON when the cache has synced, another when the last of the ordered events has reached the handler. Everything is left at its
// default: the way of listing, HTTP/2 over TLS, what is stored.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"tidewatch.dev/benchmarks/peers/measure"
)

type options struct {
	server      string
	ca          string
	kind        string
	encoding    string
	events      int64
	lastVersion string
	dropManaged bool
	reads       bool
}

func main() {
	var o options
	flag.StringVar(&o.server, "server", "", "the URL of the API server")
	flag.StringVar(&o.ca, "ca", "", "the file with its certificate")
	flag.StringVar(&o.kind, "kind", "pods", "pods, events, configmaps, secrets or databases")
	flag.StringVar(&o.encoding, "encoding", "json", "json or protobuf")
	flag.Int64Var(&o.events, "events", 0, "how many events will come")
	flag.StringVar(&o.lastVersion, "last-version", "", "the resourceVersion of the last event")
	flag.BoolVar(&o.dropManaged, "drop-managed-fields", false, "drop managedFields by a transform")
	flag.BoolVar(&o.reads, "reads", false, "measure reads of the full cache, too")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The informer of the kind, and what starts it.
func informerOf(o options) (cache.SharedIndexInformer, func(stop <-chan struct{}), error) {
	config := &rest.Config{Host: o.server, TLSClientConfig: rest.TLSClientConfig{CAFile: o.ca}}
	if o.kind == "databases" {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, nil, err
		}
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		resource := schema.GroupVersionResource{Group: "bench.tidewatch.dev", Version: "v1", Resource: "databases"}
		return factory.ForResource(resource).Informer(), factory.Start, nil
	}
	// Said in both cases: what client-go asks for by itself has changed between versions.
	mediaType := "application/json"
	if o.encoding == "protobuf" {
		mediaType = "application/vnd.kubernetes.protobuf"
	}
	config.AcceptContentTypes, config.ContentType = mediaType, mediaType
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	var settings []informers.SharedInformerOption
	if o.dropManaged {
		settings = append(settings, informers.WithTransform(withoutManagedFields))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, settings...)
	informer, err := factory.ForResource(corev1.SchemeGroupVersion.WithResource(o.kind))
	if err != nil {
		return nil, nil, err
	}
	return informer.Informer(), factory.Start, nil
}

func run(o options) error {
	informer, begin, err := informerOf(o)
	if err != nil {
		return err
	}
	events := watchEvents(o.lastVersion)
	if _, err := informer.AddEventHandler(events.handler()); err != nil {
		return err
	}

	heapBefore := measure.HeapAfterGC()
	cpuBefore := measure.CPUSeconds()
	start := time.Now()
	stop := make(chan struct{})
	defer close(stop)
	begin(stop)
	for !informer.HasSynced() {
		// WaitForCacheSync looks ten times a second, which is too seldom for a small cache.
		time.Sleep(time.Millisecond)
	}
	synced := time.Since(start)
	cpu := measure.CPUSeconds() - cpuBefore
	peak := measure.PeakRssMb()
	objects := len(informer.GetStore().ListKeys())
	measure.Report(map[string]any{
		"objects": objects, "syncSeconds": synced.Seconds(), "cpuSeconds": cpu, "peakRssMb": peak,
		"heapBytesAtSync": float64(measure.HeapAfterGC()-heapBefore) / float64(objects),
	})
	cpuBefore = measure.CPUSeconds()
	<-events.done
	result := map[string]any{
		"eventsPerSecond":  float64(o.events) / events.seconds(),
		"eventsCpuSeconds": measure.CPUSeconds() - cpuBefore,
		"eventsPeakRssMb":  measure.PeakRssMb(),
	}
	result["heapBytesPerObject"] = float64(measure.HeapAfterGC()-heapBefore) / float64(objects)
	if o.reads {
		measureReads(informer.GetIndexer(), result)
	}
	measure.Report(result)
	runtime.KeepAlive(informer)
	return nil
}

func withoutManagedFields(object any) (any, error) {
	if object, ok := object.(metav1.Object); ok {
		object.SetManagedFields(nil)
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
			if object.(metav1.Object).GetResourceVersion() == e.lastVersion {
				e.last.Store(time.Now().UnixNano())
				close(e.done)
			}
		},
	}
}

func (e *eventWatch) seconds() float64 { return float64(e.last.Load()-e.first.Load()) / 1e9 }
