package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Reads lines as this program prints them, both encodings written by somebody else, and prints a line for each object that
// Go's two decoders do not read as the same.
func compare(in io.Reader, out io.Writer) error {
	kinds := knownKinds()
	lines := bufio.NewReaderSize(in, 1<<20)
	for number := 1; ; number++ {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var one line
		if err := json.Unmarshal(text, &one); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		gvk := schema.GroupVersionKind{Group: one.Group, Version: one.Version, Kind: one.Kind}
		if problem := difference(gvk, kinds[gvk], one); problem != "" {
			fmt.Fprintf(out, "line %d, %s %s: %s\n", number, gvk.GroupVersion(), gvk.Kind, problem)
		}
	}
}

func difference(gvk schema.GroupVersionKind, t reflect.Type, one line) string {
	if t == nil {
		return "no such kind"
	}
	if len(one.Protobuf) < 4 || string(one.Protobuf[:4]) != "k8s\x00" {
		return "no Kubernetes protobuf"
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(one.Protobuf[4:]); err != nil {
		return "envelope: " + err.Error()
	}
	if envelope.Kind != gvk.Kind || envelope.APIVersion != gvk.GroupVersion().String() {
		return fmt.Sprintf("the envelope says %s of %s", envelope.Kind, envelope.APIVersion)
	}
	fromProtobuf := reflect.New(t).Interface().(message)
	if err := fromProtobuf.Unmarshal(envelope.Raw); err != nil {
		return "protobuf: " + err.Error()
	}
	fromJSON := reflect.New(t).Interface().(message)
	if err := json.Unmarshal(one.JSON, fromJSON); err != nil {
		return "JSON: " + err.Error()
	}
	// Kind and version are the envelope's.
	fromJSON.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	a, b := settled(fromProtobuf), settled(fromJSON)
	if !reflect.DeepEqual(a, b) {
		left, _ := json.Marshal(a)
		right, _ := json.Marshal(b)
		return fmt.Sprintf("in protobuf %s, in JSON %s", left, right)
	}
	return ""
}

// The object as JSON without what the two encodings cannot both express: null, and empty lists and maps.
func settled(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err.Error()
	}
	return withoutEmpty(value)
}

func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if v[key] = withoutEmpty(item); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return value
}
