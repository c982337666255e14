package main

import (
	"fmt"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"reflect"
	"sort"
	"strings"
)

type stringEntry struct {
	Name    string   `json:"name"`
	Package string   `json:"package"`
	GoName  string   `json:"goName"`
	Values  []string `json:"values"`
}

// The constants of each named string type. Reflection does not see them; the compiler's export data does.
func stringConstants(named map[reflect.Type]bool) []stringEntry {
	paths := map[string]bool{}
	for t := range named {
		paths[t.PkgPath()] = true
	}
	values := map[string][]string{}
	for path, pkg := range load(paths) {
		for _, name := range pkg.Scope().Names() {
			object, isConstant := pkg.Scope().Lookup(name).(*types.Const)
			if !isConstant || object.Val().Kind() != constant.String {
				continue
			}
			if t, ok := object.Type().(*types.Named); ok && t.Obj().Pkg() == pkg {
				key := path + "." + t.Obj().Name()
				values[key] = append(values[key], constant.StringVal(object.Val()))
			}
		}
	}
	list := []stringEntry{}
	for t := range named {
		key := t.PkgPath() + "." + t.Name()
		sort.Strings(values[key])
		list = append(list, stringEntry{Name: key, Package: t.PkgPath(), GoName: t.Name(), Values: values[key]})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

func load(paths map[string]bool) map[string]*types.Package {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for path := range paths {
		args = append(args, path)
	}
	output, err := exec.Command("go", args...).Output()
	if err != nil {
		panic(fmt.Errorf("go list: %w", err))
	}
	exports := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(output)), "\n") {
		path, file, _ := strings.Cut(line, "\t")
		exports[path] = file
	}
	source := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	packages := map[string]*types.Package{}
	for path := range paths {
		pkg, err := source.Import(path)
		if err != nil {
			panic(err)
		}
		packages[path] = pkg
	}
	return packages
}
