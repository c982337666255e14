// Prints objects of every built-in kind, filled at random, in both encodings of Kubernetes: one line of JSON an object.
//
// Each object is sent once through protobuf before it is written, so that what the two encodings cannot both express (an
// empty list against none) is settled: a decoder of the protobuf has to give exactly the JSON beside it.
//
//	go run . -seed 1 -count 5 [-kinds apps/v1/Deployment,v1/Pod]
//	go run . -compare < lines
//
// The second reads such lines, and prints those whose two encodings do not say the same.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationscheme "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
)

type line struct {
	Group    string          `json:"group"`
	Version  string          `json:"version"`
	Kind     string          `json:"kind"`
	JSON     json.RawMessage `json:"json"`
	Protobuf []byte          `json:"protobuf"` // with the envelope
}

// A kind that can travel in protobuf.
type message interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// What the API machinery itself speaks, whatever the group.
var metaKinds = []any{
	metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{}, metav1.CreateOptions{},
	metav1.DeleteOptions{}, metav1.GetOptions{}, metav1.ListOptions{}, metav1.PatchOptions{}, metav1.UpdateOptions{},
	metav1.List{}, metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, metav1.Status{},
}

func main() {
	seed := flag.Int64("seed", 1, "the same seed gives the same objects")
	count := flag.Int("count", 3, "objects of each kind")
	only := flag.String("kinds", "", "group/version/kind of the kinds to print, separated by commas; all when empty")
	comparing := flag.Bool("compare", false, "read lines, and print those whose encodings differ")
	flag.Parse()

	if *comparing {
		if err := compare(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	kinds := knownKinds()
	for _, gvk := range selected(kinds, *only) {
		for i := range *count {
			if err := write(out, gvk, kinds[gvk], objectSeed(*seed, gvk, i)); err != nil {
				fmt.Fprintf(os.Stderr, "%v: %v\n", gvk, err)
				os.Exit(1)
			}
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func knownKinds() map[schema.GroupVersionKind]reflect.Type {
	kinds := map[schema.GroupVersionKind]reflect.Type{}
	for _, scheme := range []*runtime.Scheme{kubernetesscheme.Scheme, apiextensionsscheme.Scheme, apiregistrationscheme.Scheme} {
		for gvk, t := range scheme.AllKnownTypes() {
			if gvk.Version != runtime.APIVersionInternal && t.PkgPath() != reflect.TypeFor[metav1.Status]().PkgPath() {
				kinds[gvk] = t
			}
		}
	}
	kinds[admissionv1.SchemeGroupVersion.WithKind("AdmissionReview")] = reflect.TypeFor[admissionv1.AdmissionReview]()
	for _, value := range metaKinds {
		t := reflect.TypeOf(value)
		kinds[schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: t.Name()}] = t
	}
	return kinds
}

func selected(kinds map[schema.GroupVersionKind]reflect.Type, only string) []schema.GroupVersionKind {
	var list []schema.GroupVersionKind
	if only == "" {
		for gvk := range kinds {
			list = append(list, gvk)
		}
		sort.Slice(list, func(i, j int) bool { return list[i].String() < list[j].String() })
		return list
	}
	for _, name := range strings.Split(only, ",") {
		slash := strings.LastIndex(name, "/")
		gv, err := schema.ParseGroupVersion(name[:max(slash, 0)])
		gvk := gv.WithKind(name[slash+1:])
		if err != nil || kinds[gvk] == nil {
			fmt.Fprintf(os.Stderr, "no kind %q\n", name)
			os.Exit(2)
		}
		list = append(list, gvk)
	}
	return list
}

// Does not depend on which other kinds are printed.
func objectSeed(seed int64, gvk schema.GroupVersionKind, index int) int64 {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%d %v %d", seed, gvk, index)
	return int64(hash.Sum64())
}

func write(out *bufio.Writer, gvk schema.GroupVersionKind, t reflect.Type, seed int64) error {
	filled, ok := reflect.New(t).Interface().(message)
	if !ok {
		return fmt.Errorf("%v cannot be written as protobuf", t)
	}
	fill(filled, seed)
	sent, err := filled.Marshal()
	if err != nil {
		return err
	}
	object := reflect.New(t).Interface().(message)
	if err := object.Unmarshal(sent); err != nil {
		return err
	}
	object.GetObjectKind().SetGroupVersionKind(gvk)

	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	var wire bytes.Buffer
	if err := protobuf.NewSerializer(nil, nil).Encode(object, &wire); err != nil {
		return err
	}
	encoded, err := json.Marshal(line{gvk.Group, gvk.Version, gvk.Kind, text, wire.Bytes()})
	if err != nil {
		return err
	}
	out.Write(encoded)
	return out.WriteByte('\n')
}
