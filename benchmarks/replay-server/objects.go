package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func metadata(group *group, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: group.namespace, UID: uidMark, ResourceVersion: versionMark, CreationTimestamp: metav1.NewTime(createdMark),
	}
}

// Events of one cause; an update counts one more.
func fillEvents(random *rand.Rand, group *group) error {
	event := &corev1.Event{
		TypeMeta:       metav1.TypeMeta{Kind: "Event", APIVersion: "v1"},
		ObjectMeta:     metadata(group, group.name+"."+text(random, hexDigits, 11)+nameMark),
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: group.namespace, Name: group.name + "-" + nameMark, UID: randomUID(random), ResourceVersion: versionMark},
		Reason:         pick(random, "BackOff", "Pulled", "Created", "Started", "Unhealthy", "FailedScheduling", "Killing"),
		Message:        fmt.Sprintf("Back-off restarting failed container %s in pod %s-%s_%s(%s)", pick(random, roles...), group.name, nameMark, group.namespace, uidMark),
		Source:         corev1.EventSource{Component: "kubelet", Host: nodeMark + ".eu-central-1.compute.internal"},
		FirstTimestamp: metav1.NewTime(createdMark), LastTimestamp: metav1.NewTime(changedMark),
		Count: 1, Type: pick(random, "Normal", "Warning"), ReportingController: "kubelet", ReportingInstance: nodeMark + ".eu-central-1.compute.internal",
	}
	event.ManagedFields = simpleManagedFields("kubelet", `{"f:count":{},"f:firstTimestamp":{},"f:involvedObject":{},"f:lastTimestamp":{},"f:message":{},"f:reason":{},"f:reportingComponent":{},"f:reportingInstance":{},"f:source":{"f:component":{},"f:host":{}},"f:type":{}}`)
	again := event.DeepCopy()
	again.Count = int32(2 + random.IntN(900))
	group.states, group.first, group.updated = []runtime.Object{event, again}, []int{60, 40}, []int{0, 100}
	return nil
}

// Half of them are the certificate authority that every namespace has; the others have 1 to 5 files of up to 4 KB.
func fillConfigMaps(random *rand.Rand, group *group) error {
	config := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, ObjectMeta: metadata(group, group.name+"-"+nameMark), Data: map[string]string{},
	}
	if chance(random, 50) {
		config.Data["ca.crt"] = "-----BEGIN CERTIFICATE-----\n" + strings.Repeat("MIIDBTCCAe2gAwIBAgIIVGhpc0lzQUNlcnQwDQYJKoZIhvcNAQELBQAwFTETMBE\n", 16) + "-----END CERTIFICATE-----\n"
		config.Annotations = map[string]string{"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc."}
	} else {
		config.Labels = labels(random, group.name, text(random, letters, 10))
		for file := range 1 + random.IntN(5) {
			config.Data[fmt.Sprintf("%s-%d.yaml", pick(random, roles...), file)] = settings(random, 1+random.IntN(80))
		}
	}
	config.ManagedFields = simpleManagedFields("kubectl-client-side-apply", `{"f:data":{".":{},"f:`+strings.Join(keysOf(config.Data), `":{},"f:`)+`":{}},"f:metadata":{"f:labels":{}}}`)
	changed := config.DeepCopy()
	changed.Data["zz-changed"] = settings(random, 2)
	group.states, group.first, group.updated = []runtime.Object{config, changed}, []int{100, 0}, []int{50, 50}
	return nil
}

// Most are small; some are certificates, and one in ten is a release of Helm.
func fillSecrets(random *rand.Rand, group *group) error {
	secret := &corev1.Secret{
		TypeMeta: metav1.TypeMeta{Kind: "Secret", APIVersion: "v1"}, ObjectMeta: metadata(group, group.name+"-"+nameMark), Data: map[string][]byte{}, Type: corev1.SecretTypeOpaque,
	}
	switch size := random.IntN(10); {
	case size == 0:
		secret.Type = "helm.sh/release.v1"
		secret.Labels = map[string]string{"name": group.name, "owner": "helm", "status": "deployed", "version": fmt.Sprint(1 + random.IntN(50))}
		secret.Data["release"] = []byte(text(random, letters, 4_000+random.IntN(12_000)))
	case size < 4:
		secret.Type = corev1.SecretTypeTLS
		secret.Data["tls.crt"], secret.Data["tls.key"] = []byte(text(random, letters, 1_800)), []byte(text(random, letters, 1_700))
	default:
		for range 1 + random.IntN(6) {
			secret.Data[pick(random, subjects...)+"-"+pick(random, roles...)] = []byte(text(random, letters, 8+random.IntN(64)))
		}
	}
	secret.ManagedFields = simpleManagedFields("helm", `{"f:data":{".":{},"f:`+strings.Join(keysOf(secret.Data), `":{},"f:`)+`":{}},"f:type":{}}`)
	changed := secret.DeepCopy()
	changed.Data["zz-rotated"] = []byte(text(random, letters, 40))
	group.states, group.first, group.updated = []runtime.Object{secret, changed}, []int{100, 0}, []int{50, 50}
	return nil
}

func settings(random *rand.Rand, lines int) string {
	var b strings.Builder
	for range lines {
		fmt.Fprintf(&b, "%s.%s: %s\n", pick(random, subjects...), pick(random, roles...), text(random, letters, 4+random.IntN(30)))
	}
	return b.String()
}

func simpleManagedFields(manager, fields string) []metav1.ManagedFieldsEntry {
	return []metav1.ManagedFieldsEntry{{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: pointer(metav1.NewTime(createdMark)),
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)},
	}}
}

func keysOf[T any](all map[string]T) []string {
	var keys []string
	for key := range all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
