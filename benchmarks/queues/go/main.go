// The same operations on the work queues of client-go and controller-runtime. Each line of the input names an operation and how
// often to do it; each line of the output is the time of one, in nanoseconds. The runner in ../run.ts takes turns with it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

const (
	keyCount = 20000
	delayed  = 1000000
)

func makeKeys(count int) []string {
	keys := make([]string, count)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/pod-%d", i%100, i)
	}
	return keys
}

// A fixed sequence of delays in [0, 1) s.
type delays struct{ state int64 }

func (d *delays) next() time.Duration {
	d.state = d.state * 48271 % 2147483647
	return time.Duration(float64(d.state) / 2147483647 * float64(time.Second))
}

func oneByOne(queue workqueue.TypedInterface[string], keys []string) func(int) {
	return func(n int) {
		for i := 0; i < n; i++ {
			queue.Add(keys[i%keyCount])
			key, _ := queue.Get()
			queue.Done(key)
		}
	}
}

func deep(queue workqueue.TypedInterface[string], keys []string) func(int) {
	return func(n int) {
		for done := 0; done < n; done += keyCount {
			for _, key := range keys {
				queue.Add(key)
			}
			for i := 0; i < keyCount; i++ {
				key, _ := queue.Get()
				queue.Done(key)
			}
		}
	}
}

func main() {
	keys, many := makeKeys(keyCount), makeKeys(delayed)
	plain := workqueue.NewTyped[string]()
	byPriority := priorityqueue.New[string]("benchmark")
	operations := map[string]func(n int){
		"queue one by one":          oneByOne(plain, keys),
		"queue deep":                deep(plain, keys),
		"priority queue one by one": oneByOne(byPriority, keys),
		"priority queue deep":       deep(byPriority, keys),
		"delays": func(n int) {
			queue := workqueue.NewTypedDelayingQueue[string]()
			random := delays{state: 1}
			for i := 0; i < n; i++ {
				queue.AddAfter(many[i], random.next())
			}
			for i := 0; i < n; i++ {
				key, _ := queue.Get()
				queue.Done(key)
			}
			queue.ShutDown()
		},
	}

	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		name, count, _ := strings.Cut(input.Text(), "\t")
		n, err := strconv.Atoi(count)
		if err != nil {
			panic(err)
		}
		runtime.GC()
		operations[name](n / 4)
		start := time.Now()
		operations[name](n)
		fmt.Println(float64(time.Since(start).Nanoseconds()) / float64(n))
	}
}
