package main

import (
	"bytes"
	"fmt"
)

const (
	maxPods = 9_999_999
	// The resourceVersion of the first pod: every one has ten digits.
	firstVersion     = 1_000_000_000
	podsInANamespace = 1_000
)

// Bytes that carry the marks, and where: what is sent is a copy of them with the marks written over.
type template struct {
	bytes                         []byte
	name, namespace, uid, version []int
}

func newTemplate(encoded []byte) (*template, error) {
	t := &template{
		bytes:     encoded,
		name:      offsets(encoded, nameMark),
		namespace: offsets(encoded, namespaceMark),
		uid:       offsets(encoded, uidMark),
		version:   offsets(encoded, versionMark),
	}
	for mark, found := range map[string][]int{nameMark: t.name, namespaceMark: t.namespace, uidMark: t.uid, versionMark: t.version} {
		if len(found) != 1 {
			return nil, fmt.Errorf("the mark %q is %d times in the encoded pod instead of once", mark, len(found))
		}
	}
	return t, nil
}

func offsets(encoded []byte, mark string) []int {
	var found []int
	for start := 0; ; {
		next := bytes.Index(encoded[start:], []byte(mark))
		if next < 0 {
			return found
		}
		found = append(found, start+next)
		start += next + len(mark)
	}
}

// Appends the bytes of one pod.
func (t *template) append(to []byte, pod, version int) []byte {
	start := len(to)
	to = append(to, t.bytes...)
	sent := to[start:]
	digits(sent[t.name[0]+len(nameMark)-7:][:7], pod)
	digits(sent[t.namespace[0]+len(namespaceMark)-4:][:4], namespaceOf(pod))
	digits(sent[t.uid[0]:][:8], pod)
	digits(sent[t.version[0]:][:len(versionMark)], version)
	return to
}

// Pods are sent in the order of their keys, as the watch cache of an API server does.
func namespaceOf(pod int) int { return pod / podsInANamespace }

// Writes a number in decimal over all of `to`.
func digits(to []byte, number int) {
	for index := len(to) - 1; index >= 0; index-- {
		to[index] = byte('0' + number%10)
		number /= 10
	}
}
