package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type object = map[string]any

// A custom resource of some 2 KB, nested as those of operators are. An update leaves another phase and other conditions.
func fillDatabases(random *rand.Rand, group *group) error {
	spec := object{
		"className": pick(random, "small", "medium", "large"), "version": version(random), "replicas": int64(1 + random.IntN(5)),
		"storage":    object{"size": fmt.Sprintf("%dGi", 10+random.IntN(500)), "className": pick(random, "fast", "slow"), "encryption": object{"enabled": true, "keyRef": object{"name": text(random, letters, 12)}}},
		"backup":     object{"schedule": fmt.Sprintf("%d %d * * *", random.IntN(60), random.IntN(24)), "retention": object{"daily": int64(7), "weekly": int64(4)}, "target": object{"bucket": text(random, letters, 16), "path": "/" + group.name}},
		"components": components(random, group.name),
		"parameters": parameters(random),
	}
	for index, phase := range []string{"Ready", "Upgrading", "Degraded"} {
		status := object{
			"phase": phase, "observedGeneration": int64(1 + index), "leader": nodeMark,
			"endpoints":  []any{object{"address": addressMark, "port": int64(5432), "role": "primary"}, object{"address": hostMark, "port": int64(5433), "role": "replica"}},
			"conditions": conditions(random, phase, group.name),
		}
		group.states = append(group.states, &unstructured.Unstructured{Object: object{
			"apiVersion": "bench.tidewatch.dev/v1", "kind": "Database", "spec": spec, "status": status,
			"metadata": object{
				"name": group.name + "-" + nameMark, "namespace": group.namespace, "uid": uidMark, "resourceVersion": versionMark,
				"creationTimestamp": createdMark.Format(time.RFC3339), "generation": int64(1),
				"labels":        object{"app.kubernetes.io/name": group.name, "team": pick(random, subjects...)},
				"managedFields": []any{object{"apiVersion": "bench.tidewatch.dev/v1", "fieldsType": "FieldsV1", "fieldsV1": object{"f:spec": fieldSet(spec), "f:status": fieldSet(status)}, "manager": "operator", "operation": "Update", "time": changedMark.Format(time.RFC3339)}},
			},
		}})
	}
	group.first, group.updated = []int{90, 7, 3}, []int{50, 30, 20}
	return nil
}

func components(random *rand.Rand, name string) []any {
	var all []any
	for index := range 1 + random.IntN(3) {
		all = append(all, object{
			"name": fmt.Sprintf("%s-%d", pick(random, roles...), index), "image": fmt.Sprintf("registry.example.com/data/%s:%s", name, version(random)),
			"resources": object{"limits": object{"cpu": "2", "memory": "4Gi"}, "requests": object{"cpu": pick(random, "100m", "500m"), "memory": "1Gi"}},
			"affinity":  object{"zone": pick(random, "a", "b", "c"), "spread": object{"maxSkew": int64(1), "topologyKey": "topology.kubernetes.io/zone"}},
		})
	}
	return all
}

func parameters(random *rand.Rand) object {
	all := object{}
	for range random.IntN(16) {
		all[pick(random, subjects...)+"_"+pick(random, roles...)] = text(random, letters, 1+random.IntN(16))
	}
	return all
}

func conditions(random *rand.Rand, phase, name string) []any {
	var all []any
	for _, condition := range []string{"Available", "BackedUp", "Replicating"} {
		all = append(all, object{
			"type": condition, "status": pick(random, "True", "False"), "reason": phase, "observedGeneration": int64(1),
			"lastTransitionTime": changedMark.Format(time.RFC3339), "message": fmt.Sprintf("%s of %s is %s", condition, name, phase),
		})
	}
	return all
}

// The fields of a value as FieldsV1 writes them, lists as a whole.
func fieldSet(value object) object {
	set := object{}
	for name, field := range value {
		inner, _ := field.(object)
		set["f:"+name] = fieldSet(inner)
	}
	return set
}
