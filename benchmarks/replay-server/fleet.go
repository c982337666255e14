package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
)

// Objects of one template: the pods of a workload, the events of a pod.
type group struct {
	namespace, name string
	// How likely each state is at first, and after an update, in parts of 100.
	first, updated []int
	states         []runtime.Object
	size           int
	start          int
	bodies         map[string]*body
}

// All objects that the server has, in the order of their keys.
type fleet struct {
	kind    kind
	seed    uint64
	objects int
	groups  []*group
	// Of each object.
	groupOf []int32
	// In which order they are updated.
	order []int
}

func newFleet(kind kind, seed uint64, objects int, encodings map[string]*encoding) (*fleet, error) {
	f := &fleet{kind: kind, seed: seed, objects: objects, groupOf: make([]int32, objects)}
	total := 0
	for number := 0; total < objects; number++ {
		random := rand.New(rand.NewPCG(seed, uint64(number)))
		namespace := fmt.Sprintf("team-%04d", number/kind.inNamespace)
		g := &group{namespace: namespace, bodies: map[string]*body{}}
		g.size = min(kind.size(random), objects-total)
		g.name = kind.name(random, number)
		total += g.size
		f.groups = append(f.groups, g)
	}
	slices.SortStableFunc(f.groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	start := 0
	for index, g := range f.groups {
		g.start = start
		for object := range g.size {
			f.groupOf[start+object] = int32(index)
		}
		start += g.size
	}
	f.order = rand.New(rand.NewPCG(seed, 1)).Perm(objects)
	return f, f.encode(encodings)
}

// On two cores, because a million pods have a hundred thousand workloads.
func (f *fleet) encode(encodings map[string]*encoding) error {
	var failed error
	var once sync.Once
	var workers sync.WaitGroup
	for worker := range 2 {
		workers.Go(func() {
			for index := worker; index < len(f.groups); index += 2 {
				if err := f.encodeGroup(index, encodings); err != nil {
					once.Do(func() { failed = err })
					return
				}
			}
		})
	}
	workers.Wait()
	return failed
}

func (f *fleet) encodeGroup(index int, encodings map[string]*encoding) error {
	g := f.groups[index]
	if err := f.kind.fill(rand.New(rand.NewPCG(f.seed+1, uint64(index))), g); err != nil {
		return err
	}
	for name, encoding := range encodings {
		var states [][]byte
		for _, state := range g.states {
			bytes, err := encoding.body(state)
			if err != nil {
				return err
			}
			states = append(states, bytes)
		}
		if index == 0 {
			if err := encoding.check(g.states[0]); err != nil {
				return err
			}
		}
		all := newBody(states, encoding.marks)
		g.bodies[name] = &all
	}
	g.states = nil
	return nil
}

func (f *fleet) lastVersion() int { return firstVersion + f.objects - 1 }

// The object as it is at first.
func (f *fleet) at(number int) (*group, sent) {
	g := f.groups[f.groupOf[number]]
	s := identity(f.seed, number, number-g.start, g.size, f.objects)
	s.state = weighted(g.first, mix(f.seed, s.random[0]))
	return g, s
}

// What the n-th update leaves; the first is 1.
func (f *fleet) update(n int) (*group, sent) {
	g, s := f.at(f.order[(n-1)%f.objects])
	s.version = f.lastVersion() + n
	s.changed = today + int64(n)/50
	s.state = weighted(g.updated, mix(f.seed, uint64(n)))
	return g, s
}

func weighted(weights []int, random uint64) int {
	left := int(random % 100)
	for index, weight := range weights {
		if left -= weight; left < 0 {
			return index
		}
	}
	return 0
}
