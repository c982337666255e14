package main

import (
	"maps"
	"sync"

	"k8s.io/client-go/tools/cache"
)

// told is the state that follows from what the handlers were called with.
type told struct {
	lock  sync.Mutex
	names map[string]string
}

func newTold() *told {
	return &told{names: map[string]string{}}
}

func (t *told) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    t.set,
		UpdateFunc: func(_, obj any) { t.set(obj) },
		DeleteFunc: func(obj any) {
			t.lock.Lock()
			defer t.lock.Unlock()
			delete(t.names, configMapOf(obj).Name)
		},
	}
}

func (t *told) set(obj any) {
	t.lock.Lock()
	defer t.lock.Unlock()
	object := configMapOf(obj)
	t.names[object.Name] = object.ResourceVersion
}

func (t *told) state() map[string]string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return maps.Clone(t.names)
}
