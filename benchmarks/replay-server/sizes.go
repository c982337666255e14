package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
)

const sizedGroups = 500

// One line of JSON: the mean bytes of an object in each encoding, with and without managedFields.
func printSizes(kind kind, seed uint64, encodings map[string]*encoding) error {
	sizes := map[string]int{}
	for index := range sizedGroups {
		g := &group{namespace: "team-0000", name: kind.name(rand.New(rand.NewPCG(seed, uint64(index))), index)}
		if err := kind.fill(rand.New(rand.NewPCG(seed+1, uint64(index))), g); err != nil {
			return err
		}
		for name, encoding := range encodings {
			for _, without := range []string{"", "WithoutManagedFields"} {
				object := g.states[0].DeepCopyObject()
				if without != "" {
					accessor, err := meta.Accessor(object)
					if err != nil {
						return err
					}
					accessor.SetManagedFields(nil)
				}
				body, err := encoding.body(object)
				if err != nil {
					return err
				}
				sizes[name+without] += len(encoding.opening) + len(body)
			}
		}
	}
	for name := range sizes {
		sizes[name] /= sizedGroups
	}
	return json.NewEncoder(os.Stdout).Encode(sizes)
}
