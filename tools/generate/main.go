// Prints, as one JSON document, what the Go modules of Kubernetes know about their types and a running server does not
// tell: struct tags, the constants of string types, and the names that the clientsets give to resources.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationscheme "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
)

type document struct {
	Types     []*typeEntry    `json:"types"`
	Strings   []stringEntry   `json:"strings"`
	Kinds     []kindEntry     `json:"kinds"`
	Accessors []accessorEntry `json:"accessors"`
}

type kindEntry struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Type    string `json:"type"`
}

// What every group version shares, beside the types that its own objects lead to.
var metaKinds = []any{
	metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{},
	metav1.CreateOptions{}, metav1.DeleteOptions{}, metav1.GetOptions{}, metav1.ListOptions{}, metav1.PatchOptions{},
	metav1.UpdateOptions{}, metav1.List{}, metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{},
	metav1.Status{}, metav1.WatchEvent{},
}

func main() {
	walker := newWalker()
	out := document{Accessors: accessors()}
	seen := map[kindEntry]bool{}
	add := func(group, version, kind string, t reflect.Type) {
		entry := kindEntry{group, version, kind, modelName(t)}
		if seen[entry] {
			return
		}
		seen[entry] = true
		walker.visit(t)
		out.Kinds = append(out.Kinds, entry)
	}

	for _, scheme := range []*runtime.Scheme{kubernetesscheme.Scheme, apiextensionsscheme.Scheme, apiregistrationscheme.Scheme} {
		for gvk, t := range scheme.AllKnownTypes() {
			if gvk.Version == runtime.APIVersionInternal || t.PkgPath() == reflect.TypeFor[metav1.Status]().PkgPath() {
				continue
			}
			add(gvk.Group, gvk.Version, gvk.Kind, t)
		}
	}
	add(admissionv1.GroupName, "v1", "AdmissionReview", reflect.TypeFor[admissionv1.AdmissionReview]())
	for _, value := range metaKinds {
		t := reflect.TypeOf(value)
		add("meta.k8s.io", "v1", t.Name(), t)
	}

	sort.Slice(out.Kinds, func(i, j int) bool { return fmt.Sprint(out.Kinds[i]) < fmt.Sprint(out.Kinds[j]) })
	out.Types = walker.sorted()
	out.Strings = stringConstants(walker.strings)

	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}
