package main

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The merge keys of the lists in a pod, by the name of the list. Other lists are owned as a whole.
var mergeKeys = map[string][]string{
	"conditions":        {"type"},
	"containers":        {"name"},
	"containerStatuses": {},
	"env":               {"name"},
	"hostIPs":           {},
	"ownerReferences":   {"uid"},
	"podIPs":            {"ip"},
	"ports":             {"containerPort", "protocol"},
	"volumeMounts":      {"mountPath"},
	"volumes":           {"name"},
}

// The managedFields that the pod's own fields give: the spec's and metadata's maker is kube-controller-manager, the
// status's is the kubelet.
func managedFields(pod *corev1.Pod, made, changed metav1.Time) ([]metav1.ManagedFieldsEntry, error) {
	encoded, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	var fields struct {
		Metadata map[string]any `json:"metadata"`
		Spec     map[string]any `json:"spec"`
		Status   map[string]any `json:"status"`
	}
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, err
	}
	for _, ours := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation"} {
		delete(fields.Metadata, ours)
	}
	for _, schedulers := range []string{"nodeName", "priority", "preemptionPolicy", "tolerations"} {
		delete(fields.Spec, schedulers)
	}
	delete(fields.Status, "qosClass")
	maker := map[string]any{"f:metadata": owned(fields.Metadata), "f:spec": owned(fields.Spec)}
	runner := map[string]any{"f:status": owned(fields.Status)}
	entry := func(manager, subresource string, at metav1.Time, fields map[string]any) (metav1.ManagedFieldsEntry, error) {
		raw, err := json.Marshal(fields)
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at,
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: raw}, Subresource: subresource,
		}, err
	}
	first, err := entry("kube-controller-manager", "", made, maker)
	if err != nil {
		return nil, err
	}
	second, err := entry("kubelet", "status", changed, runner)
	return []metav1.ManagedFieldsEntry{first, second}, err
}

// The set of fields of a value, as FieldsV1 writes it.
func owned(value any) map[string]any {
	set := map[string]any{}
	fields, _ := value.(map[string]any)
	for name, field := range fields {
		switch field := field.(type) {
		case map[string]any:
			inner := owned(field)
			if len(inner) > 0 {
				inner["."] = struct{}{}
			}
			set["f:"+name] = inner
		case []any:
			set["f:"+name] = ownedItems(field, mergeKeys[name])
		default:
			set["f:"+name] = struct{}{}
		}
	}
	return set
}

func ownedItems(items []any, keys []string) map[string]any {
	if len(keys) == 0 {
		return map[string]any{}
	}
	set := map[string]any{".": struct{}{}}
	for _, item := range items {
		inner := owned(item)
		inner["."] = struct{}{}
		fields, _ := item.(map[string]any)
		var parts []string
		for _, key := range keys {
			value, _ := json.Marshal(fields[key])
			parts = append(parts, fmt.Sprintf("%q:%s", key, value))
		}
		set["k:{"+strings.Join(parts, ",")+"}"] = inner
	}
	return set
}
