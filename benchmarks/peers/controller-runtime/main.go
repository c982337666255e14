// Command controller-runtime runs a controller over all pods that reads each from the cache and does nothing, and reports what that
// took: a line of JSON when every pod has been reconciled, another when as many updates have been. Everything is left at its default.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"tidewatch.dev/benchmarks/peers/measure"
)

func main() {
	address := flag.String("server", "", "the URL of the API server")
	objects := flag.Int("objects", 0, "how many pods there are")
	events := flag.Int("events", 0, "how many events will come")
	for _, ignored := range []string{"kind", "encoding", "last-version"} {
		flag.String(ignored, "", "ignored: the benchmark gives it to every peer")
	}
	flag.Parse()
	if err := run(*address, *objects, *events); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Counts runs. There is one worker, so nobody else writes.
type counter struct {
	cache           client.Reader
	runs            int
	objects, events int
	seen            map[string]struct{}
	first           time.Time
	synced, done    chan struct{}
}

func (c *counter) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var pod corev1.Pod
	if err := c.cache.Get(ctx, request.NamespacedName, &pod); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if len(c.seen) < c.objects {
		c.seen[request.String()] = struct{}{}
		if len(c.seen) == c.objects {
			close(c.synced)
		}
		return reconcile.Result{}, nil
	}
	c.runs++
	if c.runs == 1 {
		c.first = time.Now()
	}
	if c.runs == c.events {
		close(c.done)
	}
	return reconcile.Result{}, nil
}

func run(address string, objects, events int) error {
	ctrl.SetLogger(logr.Discard())
	config := &rest.Config{Host: address, ContentConfig: rest.ContentConfig{
		AcceptContentTypes: "application/vnd.kubernetes.protobuf", ContentType: "application/vnd.kubernetes.protobuf",
	}}
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	c := &counter{
		cache: manager.GetClient(), objects: objects, events: events, seen: map[string]struct{}{},
		synced: make(chan struct{}), done: make(chan struct{}),
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.Pod{}).Complete(c); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	cpuBefore := measure.CPUSeconds()
	start := time.Now()
	go func() { ended <- manager.Start(ctx) }()
	select {
	case err := <-ended:
		return fmt.Errorf("the manager ended: %w", err)
	case <-c.synced:
	}
	measure.Report(map[string]any{
		"objects": len(c.seen), "syncSeconds": time.Since(start).Seconds(), "cpuSeconds": measure.CPUSeconds() - cpuBefore, "peakRssMb": measure.PeakRssMb(),
	})
	cpuBefore = measure.CPUSeconds()
	<-c.done
	measure.Report(map[string]any{
		"eventsPerSecond":  float64(events) / time.Since(c.first).Seconds(),
		"eventsCpuSeconds": measure.CPUSeconds() - cpuBefore, "heapBytesPerObject": float64(measure.HeapAfterGC()) / float64(objects),
	})
	return nil
}
