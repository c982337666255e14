// Command client-go-informer follows the ConfigMaps of one namespace with a client-go shared informer. For each line on its
// standard input it prints one line: the state of its cache as a JSON object from name to resourceVersion. It is a test
// partner: what it sees is compared with the server and with the other clients.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "default", "the namespace to follow")
	contentType := flag.String("content-type", "application/json", "what to ask the server for")
	flag.Parse()
	if err := run(*kubeconfig, *namespace, *contentType); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace, contentType string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = contentType
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	lister := factory.Core().V1().ConfigMaps().Lister()
	informer := factory.Core().V1().ConfigMaps().Informer()
	// What the handlers were told, beside what the cache holds: both must come to the same.
	told := newTold()
	if _, err := informer.AddEventHandler(told.handler()); err != nil {
		return err
	}
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		return fmt.Errorf("the cache did not sync")
	}
	fmt.Println("synced")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		objects, err := lister.ConfigMaps(namespace).List(labels.Everything())
		if err != nil {
			return err
		}
		cached := map[string]string{}
		for _, object := range objects {
			cached[object.Name] = object.ResourceVersion
		}
		if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"cached": cached, "told": told.state()}); err != nil {
			return err
		}
	}
	return lines.Err()
}

func configMapOf(obj any) *corev1.ConfigMap {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	return obj.(*corev1.ConfigMap)
}
