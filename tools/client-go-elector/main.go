// Command client-go-elector contends for a Lease with client-go's leader election. It is a test partner. Commands come as lines on its
// standard input: "start" begins to contend, "stop" ends that and releases the Lease. It prints one line for each thing that happens:
// "leading", "ended". It ends with its standard input.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "default", "where the Lease is")
	name := flag.String("name", "election", "the name of the Lease")
	identity := flag.String("identity", "client-go", "who contends")
	lease := flag.Duration("lease", 5*time.Second, "LeaseDuration")
	renew := flag.Duration("renew", 3*time.Second, "RenewDeadline")
	retry := flag.Duration("retry", time.Second, "RetryPeriod")
	flag.Parse()
	config := leaderelection.LeaderElectionConfig{
		LeaseDuration:   *lease,
		RenewDeadline:   *renew,
		RetryPeriod:     *retry,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { fmt.Println("leading") },
			OnStoppedLeading: func() {},
		},
	}
	if err := run(config, *kubeconfig, metav1.ObjectMeta{Namespace: *namespace, Name: *name}, *identity); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(config leaderelection.LeaderElectionConfig, kubeconfig string, lease metav1.ObjectMeta, identity string) error {
	rest, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	rest.Timeout = max(time.Second, config.RenewDeadline/2)
	client, err := kubernetes.NewForConfig(rest)
	if err != nil {
		return err
	}
	config.Lock = &resourcelock.LeaseLock{
		LeaseMeta:  lease,
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	stop := func() {}
	defer func() { stop() }()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		stop()
		if lines.Text() == "start" {
			elector, err := leaderelection.NewLeaderElector(config)
			if err != nil {
				return err
			}
			stop = contend(elector)
		} else {
			stop = func() {}
		}
	}
	return lines.Err()
}

// contend contends until the function that it returns is called, which waits for the end. Who loses stands again.
func contend(elector *leaderelection.LeaderElector) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			elector.Run(ctx)
		}
		fmt.Println("ended")
	}()
	return func() {
		cancel()
		<-done
	}
}
