package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// A resource that the server has objects of.
type kind struct {
	path       string
	apiVersion string
	kind       string
	// Custom resources are JSON only, written in the order of their keys, and name their kind in lists too.
	custom bool
	// How many groups share a namespace.
	inNamespace int
	// How many objects a group has, and what it is called.
	size func(random *rand.Rand) int
	name func(random *rand.Rand, number int) string
	// An object without anything but metadata, of the kind.
	empty func(meta metav1.ObjectMeta) runtime.Object
	// Writes the states of an object of the group, with marks, and how likely they are.
	fill func(random *rand.Rand, group *group) error
}

var kinds = map[string]kind{
	"pods": {
		path: "/api/v1/pods", apiVersion: "v1", kind: "Pod", inNamespace: 100,
		size: replicas, name: workloadName, fill: fillPods, empty: emptyPod,
	},
	"one-pod": {
		path: "/api/v1/pods", apiVersion: "v1", kind: "Pod", inNamespace: 1,
		size: func(*rand.Rand) int { return 1_000 }, name: func(*rand.Rand, int) string { return "orders" },
		fill: fillOnePod, empty: emptyPod,
	},
	"events": {
		path: "/api/v1/events", apiVersion: "v1", kind: "Event", inNamespace: 100,
		size: replicas, name: workloadName, fill: fillEvents,
		empty: func(meta metav1.ObjectMeta) runtime.Object { return &corev1.Event{ObjectMeta: meta} },
	},
	"configmaps": {
		path: "/api/v1/configmaps", apiVersion: "v1", kind: "ConfigMap", inNamespace: 1_000,
		size: single, name: workloadName, fill: fillConfigMaps,
		empty: func(meta metav1.ObjectMeta) runtime.Object { return &corev1.ConfigMap{ObjectMeta: meta} },
	},
	"secrets": {
		path: "/api/v1/secrets", apiVersion: "v1", kind: "Secret", inNamespace: 1_000,
		size: single, name: workloadName, fill: fillSecrets,
		empty: func(meta metav1.ObjectMeta) runtime.Object { return &corev1.Secret{ObjectMeta: meta} },
	},
	"databases": {
		path: "/apis/bench.tidewatch.dev/v1/databases", apiVersion: "bench.tidewatch.dev/v1", kind: "Database", custom: true,
		inNamespace: 1_000, size: single, name: workloadName, fill: fillDatabases,
		empty: func(meta metav1.ObjectMeta) runtime.Object {
			annotations := object{}
			for key, value := range meta.Annotations {
				annotations[key] = value
			}
			return &unstructured.Unstructured{Object: object{
				"apiVersion": "bench.tidewatch.dev/v1", "kind": "Database",
				"metadata": object{"resourceVersion": meta.ResourceVersion, "annotations": annotations},
			}}
		},
	},
}

func emptyPod(meta metav1.ObjectMeta) runtime.Object { return &corev1.Pod{ObjectMeta: meta} }

// Ten on average.
func replicas(random *rand.Rand) int {
	return pick(random, 1, 2, 3, 3, 5, 6, 8, 10, 12, 14, 20, 36)
}

func single(*rand.Rand) int { return 1 }

func workloadName(random *rand.Rand, number int) string {
	return fmt.Sprintf("%s-%s-%d", pick(random, subjects...), pick(random, roles...), number)
}

func pick[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }

func chance(random *rand.Rand, percent int) bool { return random.IntN(100) < percent }

func text(random *rand.Rand, alphabet string, length int) string {
	var b strings.Builder
	for range length {
		b.WriteByte(alphabet[random.IntN(len(alphabet))])
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"

var (
	subjects = strings.Fields(`orders payments catalog search basket users sessions mail invoices refunds reviews stock prices
		shipping returns coupons ledger fraud audit images video chat push sms events metrics logs traces backups reports`)
	roles = strings.Fields(`api worker cron web grpc proxy cache indexer gateway consumer migrator exporter sync admin`)
)
