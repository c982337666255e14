package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type typeEntry struct {
	Name    string       `json:"name"`
	Package string       `json:"package"`
	GoName  string       `json:"goName"`
	Form    string       `json:"form,omitempty"`
	Fields  []fieldEntry `json:"fields"`
}

type fieldEntry struct {
	JSON          string `json:"json"`
	Wire          int    `json:"wire"`
	Shape         string `json:"shape"`
	Type          string `json:"type"`
	Strings       string `json:"strings,omitempty"` // the named string type of one element
	Pointer       bool   `json:"pointer"`
	Omit          string `json:"omit"`
	Inline        bool   `json:"inline,omitempty"`
	PatchStrategy string `json:"patchStrategy,omitempty"`
	PatchMergeKey string `json:"patchMergeKey,omitempty"`
}

// Types with an encoding of their own, which the codec knows by name.
var scalars = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():               "Time",
	reflect.TypeFor[metav1.MicroTime]():          "MicroTime",
	reflect.TypeFor[metav1.Duration]():           "Duration",
	reflect.TypeFor[metav1.FieldsV1]():           "FieldsV1",
	reflect.TypeFor[resource.Quantity]():         "Quantity",
	reflect.TypeFor[intstr.IntOrString]():        "IntOrString",
	reflect.TypeFor[runtime.RawExtension]():      "RawExtension",
	reflect.TypeFor[apiextensionsv1.JSON]():      "JSON",
	reflect.TypeFor[apiextensionsv1beta1.JSON](): "JSON",
}

// Messages whose JSON is one of their fields: the first that is set, in this order, or the zero value of the last.
var choices = map[string][]string{
	"JSONSchemaPropsOrArray":       {"JSONSchemas", "Schema"},
	"JSONSchemaPropsOrBool":        {"Schema", "Allows"},
	"JSONSchemaPropsOrStringArray": {"Property", "Schema"},
}

type walker struct {
	types   map[string]*typeEntry
	strings map[reflect.Type]bool
}

func newWalker() *walker {
	return &walker{types: map[string]*typeEntry{}, strings: map[reflect.Type]bool{}}
}

func (w *walker) sorted() []*typeEntry {
	list := make([]*typeEntry, 0, len(w.types))
	for _, entry := range w.types {
		list = append(list, entry)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// The name that OpenAPI uses.
func modelName(t reflect.Type) string {
	if named, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	host, path, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

func isMessage(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface {
		MarshalToSizedBuffer([]byte) (int, error)
	})
	return ok
}

func (w *walker) visit(t reflect.Type) string {
	name := modelName(t)
	if w.types[name] != nil {
		return name
	}
	entry := &typeEntry{Name: name, Package: t.PkgPath(), GoName: t.Name()}
	w.types[name] = entry
	if order := choices[t.Name()]; order != nil {
		entry.Form = "choice"
		for _, goName := range order {
			field, _ := t.FieldByName(goName)
			entry.Fields = append(entry.Fields, w.field(t, field))
		}
		return name
	}
	if t.Kind() != reflect.Struct {
		entry.Form = "value"
		shape, element, strings, pointer := w.describe(t, true)
		entry.Fields = []fieldEntry{{JSON: "items", Wire: 1, Shape: shape, Type: element, Strings: strings, Pointer: pointer, Omit: "empty"}}
		return name
	}
	if _, ok := reflect.New(t).Interface().(json.Marshaler); ok {
		panic(name + " writes its own JSON in a way that this program does not know")
	}
	entry.Fields = w.fields(t)
	return name
}

func (w *walker) fields(t reflect.Type) []fieldEntry {
	list := []fieldEntry{}
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag, tagged := field.Tag.Lookup("json")
		if tag == "-" || !field.IsExported() {
			continue
		}
		if !tagged {
			panic(fmt.Sprintf("%v.%s has no json tag", t, field.Name))
		}
		// Kind and version travel in the envelope, not in the message.
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			for _, entry := range w.fields(field.Type) {
				entry.Wire = 0
				list = append(list, entry)
			}
			continue
		}
		list = append(list, w.field(t, field))
	}
	return list
}

func (w *walker) field(t reflect.Type, field reflect.StructField) fieldEntry {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	entry := fieldEntry{JSON: name, Omit: "never"}
	for _, option := range strings.Split(options, ",") {
		switch option {
		case "", "inline":
		case "omitempty":
			if entry.Omit == "never" {
				entry.Omit = "empty"
			}
		case "omitzero":
			entry.Omit = "zero"
		default:
			panic(fmt.Sprintf("%v.%s: unknown json option %q", t, field.Name, option))
		}
	}
	if parts := strings.Split(field.Tag.Get("protobuf"), ","); len(parts) > 1 {
		number, err := strconv.Atoi(parts[1])
		if err != nil {
			panic(fmt.Sprintf("%v.%s: %v", t, field.Name, err))
		}
		entry.Wire = number
	} else {
		panic(fmt.Sprintf("%v.%s has no protobuf tag", t, field.Name))
	}
	entry.Inline = name == "" && field.Anonymous
	if name == "" && !field.Anonymous && choices[t.Name()] == nil {
		panic(fmt.Sprintf("%v.%s has no name in JSON", t, field.Name))
	}
	if choices[t.Name()] != nil {
		entry.JSON = strings.ToLower(field.Name[:1]) + field.Name[1:]
	}
	entry.Shape, entry.Type, entry.Strings, entry.Pointer = w.describe(field.Type, false)
	entry.PatchStrategy = field.Tag.Get("patchStrategy")
	entry.PatchMergeKey = field.Tag.Get("patchMergeKey")
	return entry
}

// Shape, element and the like of a field; inside takes a named list apart that is a message of its own.
func (w *walker) describe(t reflect.Type, inside bool) (shape, element, strings string, pointer bool) {
	if t.Kind() == reflect.Pointer {
		pointer = true
		t = t.Elem()
	}
	if !inside && t.Kind() != reflect.Struct && isMessage(t) {
		return "one", w.visit(t), "", pointer
	}
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		element, strings = w.element(t.Elem())
		return "list", element, strings, pointer
	case t.Kind() == reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("%v: keys that are no strings", t))
		}
		element, strings = w.element(t.Elem())
		return "map", element, strings, pointer
	}
	element, strings = w.element(t)
	return "one", element, strings, pointer
}

func (w *walker) element(t reflect.Type) (element, strings string) {
	if scalar := scalars[t]; scalar != "" {
		return scalar, ""
	}
	if t.Kind() == reflect.Struct || (t.Kind() != reflect.String && t.PkgPath() != "" && isMessage(t)) {
		return w.visit(t), ""
	}
	switch t.Kind() {
	case reflect.String:
		if t.PkgPath() == "" {
			return "string", ""
		}
		w.strings[t] = true
		return "string", t.PkgPath() + "." + t.Name()
	case reflect.Bool:
		return "bool", ""
	case reflect.Int32:
		return "int32", ""
	case reflect.Int64, reflect.Int:
		return "int64", ""
	case reflect.Float64:
		return "double", ""
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes", ""
		}
	}
	panic(fmt.Sprintf("no wire type for %v (%v)", t, t.Kind()))
}
