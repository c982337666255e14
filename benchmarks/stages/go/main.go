// The same operations on client-go. Each line of the input names an operation and how often to do it; each line of
// the output is the time of one, in nanoseconds. The runner in ../run.ts takes turns with it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	objects    = 20000
	namespaces = 100
	nodes      = 500
	apps       = 100
)

func pod(i, version int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       fmt.Sprintf("namespace-%d", i%namespaces),
			Name:            fmt.Sprintf("pod-%d", i),
			UID:             "00000000-0000-0000-0000-000000000000",
			ResourceVersion: strconv.Itoa(version),
			Labels:          map[string]string{"app": fmt.Sprintf("app-%d", i%apps), "tier": "backend"},
		},
		Spec: corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", i%nodes)},
	}
}

func pods(version int) []*corev1.Pod {
	list := make([]*corev1.Pod, objects)
	for i := range list {
		list[i] = pod(i, version)
	}
	return list
}

func byNode(obj interface{}) ([]string, error) {
	return []string{obj.(*corev1.Pod).Spec.NodeName}, nil
}

var sink int

func main() {
	first, second := pods(1), pods(2)
	keys := make([]string, objects)
	for i, p := range first {
		keys[i] = p.Namespace + "/" + p.Name
	}
	nodeNames := make([]string, nodes)
	for i := range nodeNames {
		nodeNames[i] = fmt.Sprintf("node-%d", i)
	}

	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"node":               byNode,
	})
	for _, p := range first {
		must(indexer.Add(p))
	}
	listedKeys := indexer.ListKeys()
	sort.Strings(listedKeys)
	lister := corelisters.NewPodLister(indexer)
	selector := labels.SelectorFromSet(labels.Set{"app": "app-7"})
	fifo := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KeyFunction:           cache.MetaNamespaceKeyFunc,
		KnownObjects:          indexer,
		EmitDeltaTypeReplaced: true,
	})
	process := func(obj interface{}, _ bool) error {
		sink += len(obj.(cache.Deltas))
		return nil
	}

	operations := map[string]func(n int){
		"indexer update, two indexes": func(n int) {
			for i := 0; i < n; i++ {
				if (i/objects)%2 == 0 {
					must(indexer.Update(second[i%objects]))
				} else {
					must(indexer.Update(first[i%objects]))
				}
			}
		},
		"getByKey": func(n int) {
			for done := 0; done < n; done += len(keys) {
				for _, key := range keys {
					if _, exists, _ := indexer.GetByKey(key); exists {
						sink++
					}
				}
			}
		},
		"getByKey, keys as the store lists them": func(n int) {
			for done := 0; done < n; done += len(listedKeys) {
				for _, key := range listedKeys {
					if _, exists, _ := indexer.GetByKey(key); exists {
						sink++
					}
				}
			}
		},
		"byIndex, 40 hits": func(n int) {
			for i := 0; i < n; i++ {
				found, err := indexer.ByIndex("node", nodeNames[i%nodes])
				must(err)
				sink += len(found)
			}
		},
		"list by label, 1 % of 20,000": func(n int) {
			for i := 0; i < n; i++ {
				found, err := lister.List(selector)
				must(err)
				sink += len(found)
			}
		},
		"DeltaFIFO add and pop, one by one": func(n int) {
			for i := 0; i < n; i++ {
				must(fifo.Add(first[i%objects]))
				_, err := fifo.Pop(process)
				must(err)
			}
		},
		"DeltaFIFO add and pop, 20,000 deep": func(n int) {
			for done := 0; done < n; done += objects {
				for _, p := range first {
					must(fifo.Add(p))
				}
				for i := 0; i < objects; i++ {
					_, err := fifo.Pop(process)
					must(err)
				}
			}
		},
	}

	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		name, count, _ := strings.Cut(input.Text(), "\t")
		n, err := strconv.Atoi(count)
		must(err)
		runtime.GC()
		operations[name](n / 4)
		start := time.Now()
		operations[name](n)
		fmt.Println(float64(time.Since(start).Nanoseconds()) / float64(n))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
