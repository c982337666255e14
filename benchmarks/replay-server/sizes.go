package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// One line of JSON: the bytes of the pod in each encoding, with and without managedFields.
func printSizes() error {
	encodings, err := newEncodings()
	if err != nil {
		return err
	}
	pod, err := examplePod()
	if err != nil {
		return err
	}
	size := func(encoding *encoding, pod *corev1.Pod) int {
		encoded, encodeErr := runtime.Encode(encoding.codec.object, pod)
		if encodeErr != nil {
			err = encodeErr
		}
		return len(encoded)
	}
	bare := pod.DeepCopy()
	bare.ManagedFields = nil
	fmt.Printf(`{"json":%d,"protobuf":%d,"jsonWithoutManagedFields":%d,"protobufWithoutManagedFields":%d}`+"\n",
		size(encodings["json"], pod), size(encodings["protobuf"], pod),
		size(encodings["json"], bare), size(encodings["protobuf"], bare))
	return err
}
