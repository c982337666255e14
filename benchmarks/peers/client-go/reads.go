package main

import (
	"runtime"
	"syscall"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

const times = 20_000

// What readers of a full cache pay, as ../tidewatch-reads.ts measures it.
func measureReads(indexer cache.Indexer, result map[string]any) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	keys := indexer.ListKeys()
	keyAt := func(index int) string { return keys[index*7919%len(keys)] }
	seen := 0
	get := func(index int, read func(object any) int) {
		object, _, _ := indexer.GetByKey(keyAt(index))
		seen += read(object)
	}
	all := func(read func(object any) int) func(int) {
		return func(int) {
			for _, object := range indexer.List() {
				seen += read(object)
			}
		}
	}
	loops := max(1, (100_000+len(keys)-1)/len(keys))
	result["readGetMicros"] = micros(func(index int) { get(index, name) }, times)
	result["readFirstImageMicros"] = micros(func(index int) { get(index, image) }, times)
	result["readListNamesMs"] = micros(all(name), loops) / 1000
	result["readTwoFieldsMs"] = micros(all(twoFields), loops) / 1000
	if seen == 0 {
		panic("the reads found nothing")
	}
}

// The time that this thread has had a processor.
func threadSeconds() float64 {
	const clockThreadCPUTime = 3
	var at syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&at)), 0)
	return float64(at.Sec) + float64(at.Nsec)/1e9
}

func name(object any) int { return len(object.(metav1.Object).GetName()) }

func image(object any) int {
	switch object := object.(type) {
	case *corev1.Pod:
		return len(object.Spec.Containers[0].Image)
	case *unstructured.Unstructured:
		components, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "components")
		image, _ := components.([]any)[0].(map[string]any)["image"].(string)
		return len(image)
	}
	return 0
}

func twoFields(object any) int {
	switch object := object.(type) {
	case *corev1.Pod:
		return len(object.Status.Phase) + len(object.Spec.NodeName)
	case *unstructured.Unstructured:
		phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
		class, _, _ := unstructured.NestedString(object.Object, "spec", "className")
		return len(phase) + len(class)
	}
	return 0
}

func micros(read func(index int), times int) float64 {
	for index := range times {
		read(index)
	}
	start := threadSeconds()
	for index := range times {
		read(index)
	}
	return (threadSeconds() - start) * 1e6 / float64(times)
}
