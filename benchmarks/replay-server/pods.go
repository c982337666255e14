package main

import (
	"fmt"
	"maps"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A workload: its own labels, annotations and owner, 1 to 4 containers with 0 to 30 variables, probes and volumes. Its pods are
// running, mostly; an update leaves them running, restarted, not ready or being created.
func fillPods(random *rand.Rand, group *group) error {
	pod := workloadPod(random, group)
	running := runningStatus(random, pod)
	pod.Status = running
	fields, err := managedFields(pod, metav1.NewTime(createdMark), metav1.NewTime(changedMark))
	if err != nil {
		return err
	}
	pod.ManagedFields = fields
	statuses := []corev1.PodStatus{running, restartedStatus(random, running), notReadyStatus(random, running), creatingStatus(running), endedStatus(running)}
	for _, status := range statuses {
		state := *pod
		state.Status = status
		group.states = append(group.states, &state)
	}
	group.first, group.updated = []int{88, 6, 3, 2, 1}, []int{48, 26, 20, 5, 1}
	return nil
}

func workloadPod(random *rand.Rand, group *group) *corev1.Pod {
	hash := text(random, letters, 10)
	owner, prefix := ownerOf(random, group.name, hash)
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			Name: prefix + nameMark, GenerateName: prefix, Namespace: group.namespace, UID: uidMark, ResourceVersion: versionMark,
			Generation: 1, CreationTimestamp: metav1.NewTime(createdMark),
			Labels: labels(random, group.name, hash), Annotations: annotations(random), OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: pointer(pick[int64](random, 10, 30, 30, 30, 60, 120)),
			DNSPolicy:                     corev1.DNSClusterFirst,
			ServiceAccountName:            pick(random, "default", group.name),
			NodeName:                      nodeMark + ".eu-central-1.compute.internal",
			SecurityContext:               &corev1.PodSecurityContext{},
			SchedulerName:                 "default-scheduler",
			Priority:                      pointer[int32](0),
			EnableServiceLinks:            pointer(true),
			PreemptionPolicy:              pointer(corev1.PreemptLowerPriority),
			Tolerations:                   tolerations(random),
			Volumes:                       volumes(random, group.name),
		},
	}
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
	if chance(random, 40) {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: pointer(1000 + random.Int64N(60_000)), RunAsNonRoot: pointer(true), FSGroup: pointer[int64](2000)}
	}
	if chance(random, 30) {
		pod.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry-" + text(random, letters, 5)}}
	}
	if chance(random, 25) {
		pod.Spec.NodeSelector = map[string]string{"kubernetes.io/os": "linux", "pool": pick(random, "general", "memory", "spot")}
	}
	for index := range 1 + random.IntN(maxContainers) {
		pod.Spec.Containers = append(pod.Spec.Containers, container(random, group.name, index, pod.Spec.Volumes))
	}
	return pod
}

func ownerOf(random *rand.Rand, name, hash string) (owner metav1.OwnerReference, prefix string) {
	owner = metav1.OwnerReference{APIVersion: "apps/v1", UID: randomUID(random), Controller: pointer(true), BlockOwnerDeletion: pointer(true)}
	switch kind := random.IntN(10); {
	case kind < 7:
		owner.Kind, owner.Name = "ReplicaSet", name+"-"+hash
	case kind == 7:
		owner.Kind, owner.Name = "DaemonSet", name
	case kind == 8:
		owner.Kind, owner.Name = "StatefulSet", name
	default:
		owner.APIVersion, owner.Kind, owner.Name = "batch/v1", "Job", name+"-29387"+fmt.Sprint(100+random.IntN(900))
	}
	return owner, owner.Name + "-"
}

func randomUID(random *rand.Rand) types.UID {
	var written [36]byte
	uid(written[:], random.Uint64(), random.Uint64())
	return types.UID(written[:])
}

func labels(random *rand.Rand, name, hash string) map[string]string {
	all := map[string]string{"app.kubernetes.io/name": name, "pod-template-hash": hash}
	for key, values := range map[string][]string{
		"app.kubernetes.io/component":  roles,
		"app.kubernetes.io/part-of":    subjects,
		"app.kubernetes.io/managed-by": {"Helm", "argocd", "flux"},
		"app.kubernetes.io/version":    {"v" + version(random)},
		"team":                         {"team-" + pick(random, subjects...)},
		"tier":                         {"frontend", "backend", "data"},
		"security.istio.io/tlsMode":    {"istio"},
	} {
		// The order of a map is not that of the seed.
		if mixText(name+key)%2 == 0 {
			all[key] = values[mixText(key+name)%uint64(len(values))]
		}
	}
	return all
}

func annotations(random *rand.Rand) map[string]string {
	all := map[string]string{
		"prometheus.io/scrape":                           "true",
		"prometheus.io/port":                             fmt.Sprint(8000 + random.IntN(2000)),
		"checksum/config":                                text(random, hexDigits, 64),
		"kubectl.kubernetes.io/restartedAt":              fmt.Sprintf("2026-10-%02dT%02d:%02d:11Z", 1+random.IntN(28), random.IntN(24), random.IntN(60)),
		"sidecar.istio.io/status":                        `{"initContainers":["istio-init"],"containers":["istio-proxy"],"volumes":["workload-socket","istio-envoy"],"revision":"default"}`,
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "true",
	}
	maps.DeleteFunc(all, func(key, _ string) bool { return mixText(all["checksum/config"]+key)%2 == 0 })
	return all
}

// A hash of a text that is the same in every run.
func mixText(text string) uint64 {
	hash := uint64(len(text))
	for _, letter := range []byte(text) {
		hash = mix(hash, uint64(letter))
	}
	return hash
}

func version(random *rand.Rand) string {
	return fmt.Sprintf("%d.%d.%d", random.IntN(9), random.IntN(40), random.IntN(20))
}

func tolerations(random *rand.Rand) []corev1.Toleration {
	all := []corev1.Toleration{
		{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: pointer[int64](300)},
		{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: pointer[int64](300)},
	}
	if chance(random, 20) {
		all = append(all, corev1.Toleration{Key: "pool", Operator: corev1.TolerationOpEqual, Value: pick(random, "memory", "spot"), Effect: corev1.TaintEffectNoSchedule})
	}
	return all
}

// The volume with the token of the service account has a name of its own in each pod; a third of the workloads do without.
func volumes(random *rand.Rand, name string) []corev1.Volume {
	var all []corev1.Volume
	add := func(suffix string, source corev1.VolumeSource) {
		all = append(all, corev1.Volume{Name: suffix, VolumeSource: source})
	}
	if chance(random, 60) {
		add("config", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name + "-config"}, DefaultMode: pointer[int32](0o644)}})
	}
	if chance(random, 50) {
		add("scratch", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
	}
	if chance(random, 30) {
		add("certificates", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name + "-tls", DefaultMode: pointer[int32](0o420)}})
	}
	if chance(random, 10) {
		add("data", corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name + "-data"}})
	}
	if chance(random, 67) {
		add("kube-api-access-"+volumeMark, corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: pointer[int32](0o644), Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: pointer[int64](3607), Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		}}})
	}
	return all
}

func container(random *rand.Rand, workload string, index int, volumes []corev1.Volume) corev1.Container {
	name := workload
	image := fmt.Sprintf("registry.example.com/%s/%s:%s", pick(random, subjects...), workload, version(random))
	if index > 0 {
		name = []string{"", "proxy", "exporter", "sidecar-" + text(random, letters, 4)}[index]
		image = fmt.Sprintf("registry.example.com/platform/%s:%s", name, version(random))
	}
	c := corev1.Container{
		Name: name, Image: image, Env: variables(random, workload),
		TerminationMessagePath: corev1.TerminationMessagePathDefault, TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy: pick(random, corev1.PullIfNotPresent, corev1.PullIfNotPresent, corev1.PullAlways),
	}
	for range random.IntN(4) {
		c.Args = append(c.Args, fmt.Sprintf("--%s-%s=%s", pick(random, roles...), pick(random, subjects...), text(random, letters, 3+random.IntN(20))))
	}
	for port := range random.IntN(3) {
		c.Ports = append(c.Ports, corev1.ContainerPort{Name: []string{"http", "metrics"}[port], ContainerPort: int32(8000 + 100*port + random.IntN(100)), Protocol: corev1.ProtocolTCP})
	}
	if chance(random, 80) {
		c.Resources = corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{"memory": resource.MustParse(pick(random, "128Mi", "512Mi", "1Gi", "4Gi"))},
			Requests: corev1.ResourceList{"cpu": resource.MustParse(pick(random, "10m", "100m", "250m", "1")), "memory": resource.MustParse(pick(random, "64Mi", "128Mi", "512Mi"))},
		}
	}
	for _, volume := range volumes {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: volume.Name, ReadOnly: chance(random, 60), MountPath: mountPath(volume.Name)})
	}
	if chance(random, 65) {
		c.LivenessProbe = probe(random, "/healthz")
	}
	if chance(random, 75) {
		c.ReadinessProbe = probe(random, "/readyz")
	}
	if chance(random, 30) {
		c.SecurityContext = &corev1.SecurityContext{AllowPrivilegeEscalation: pointer(false), ReadOnlyRootFilesystem: pointer(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
	}
	return c
}

func mountPath(volume string) string {
	if len(volume) > len("kube-api-access") {
		return "/var/run/secrets/kubernetes.io/serviceaccount"
	}
	return "/mnt/" + volume
}

func variables(random *rand.Rand, workload string) []corev1.EnvVar {
	var all []corev1.EnvVar
	for index := range random.IntN(31) {
		variable := corev1.EnvVar{Name: fmt.Sprintf("%s_%s_%d", upper(pick(random, subjects...)), upper(pick(random, roles...)), index)}
		switch random.IntN(10) {
		case 0:
			variable.ValueFrom = &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: pick(random, "metadata.name", "status.podIP", "spec.nodeName")}}
		case 1:
			variable.ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: workload + "-secret"}, Key: pick(random, "password", "token", "key")}}
		case 2, 3:
			variable.Value = fmt.Sprintf("http://%s-%s.%s.svc.cluster.local:%d", pick(random, subjects...), pick(random, roles...), pick(random, subjects...), 8000+random.IntN(1000))
		default:
			variable.Value = text(random, letters, 1+random.IntN(30))
		}
		all = append(all, variable)
	}
	return all
}

func upper(word string) string {
	letters := []byte(word)
	for index := range letters {
		letters[index] -= 'a' - 'A'
	}
	return string(letters)
}

func probe(random *rand.Rand, path string) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(int32(8000 + random.IntN(1000))), Scheme: corev1.URISchemeHTTP}},
		InitialDelaySeconds: int32(random.IntN(60)), TimeoutSeconds: int32(1 + random.IntN(5)), PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
	}
}
