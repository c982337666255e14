// Command controller runs a controller of controller-runtime over the ConfigMaps of the namespace "default", elected by a Lease, and serves what
// controller-runtime's registry has measured: it prints the address. The first run of default/b fails. It is a test partner of tidewatch's metrics.
// It ends with its standard input.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	// controller-runtime has a flag -kubeconfig.
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctrl.SetLogger(logr.Discard())
	// Not registered unless somebody asks.
	metrics.RegisterRESTClientMetrics(metrics.MetricRequestLatency)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                       server.Options{BindAddress: "0"},
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{"default": {}}},
		LeaderElection:                true,
		LeaderElectionID:              "controller-runtime",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	var runsOfB atomic.Int32
	reconciler := reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
		if request.Name == "b" && runsOfB.Add(1) == 1 {
			return reconcile.Result{}, errors.New("not yet")
		}
		return reconcile.Result{}, nil
	})
	if err := ctrl.NewControllerManagedBy(manager).Named("counting").For(&corev1.ConfigMap{}).Complete(reconciler); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{})) }()
	fmt.Printf("http://%s/metrics\n", listener.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return manager.Start(ctx)
}
