package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/client-go/kubernetes"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
)

type accessorEntry struct {
	Package string `json:"package"` // core
	Version string `json:"version"`
	Method  string `json:"method"` // ConfigMaps
	Type    string `json:"type"`   // io.k8s.api.core.v1.ConfigMap
}

// The clientsets' own names for groups and resources.
func accessors() []accessorEntry {
	list := []accessorEntry{}
	for _, clientset := range []reflect.Type{
		reflect.TypeFor[kubernetes.Interface](),
		reflect.TypeFor[apiextensions.Interface](),
		reflect.TypeFor[apiregistration.Interface](),
	} {
		for i := 0; i < clientset.NumMethod(); i++ {
			method := clientset.Method(i)
			if method.Name == "Discovery" {
				continue
			}
			list = append(list, groupAccessors(method.Type.Out(0))...)
		}
	}
	sort.Slice(list, func(i, j int) bool { return fmt.Sprint(list[i]) < fmt.Sprint(list[j]) })
	return list
}

func groupAccessors(group reflect.Type) []accessorEntry {
	path := strings.Split(group.PkgPath(), "/")
	list := []accessorEntry{}
	for i := 0; i < group.NumMethod(); i++ {
		method := group.Method(i)
		if method.Name == "RESTClient" {
			continue
		}
		if t := objectType(method.Type.Out(0)); t != nil {
			list = append(list, accessorEntry{path[len(path)-2], path[len(path)-1], method.Name, modelName(t)})
		}
	}
	return list
}

// What the resource's client creates or gets; nil for the one that does neither (policy's Evictions).
func objectType(client reflect.Type) reflect.Type {
	for _, name := range []string{"Create", "Get"} {
		if method, ok := client.MethodByName(name); ok {
			return method.Type.Out(0).Elem()
		}
	}
	return nil
}
