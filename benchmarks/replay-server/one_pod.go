package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Every pod is a copy of one, so the state is one, too.
func fillOnePod(_ *rand.Rand, group *group) error {
	pod, err := examplePod(group.namespace)
	group.states, group.first, group.updated = []runtime.Object{pod}, []int{100}, []int{100}
	return err
}

// Two containers with 13 environment variables each, probes, volumes, a full status, and the
// managedFields of the two managers that a pod has when a ReplicaSet made it and a kubelet runs it.
func examplePod(namespace string) (*corev1.Pod, error) {
	created := metav1.NewTime(time.Date(2026, 3, 2, 8, 15, 30, 0, time.UTC))
	yes, no := true, false
	var user, graceSeconds, notReadySeconds int64 = 10001, 30, 300
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              "orders-6c9f7d5b8d-" + nameMark,
			GenerateName:      "orders-6c9f7d5b8d-",
			Namespace:         namespace,
			UID:               uidMark,
			ResourceVersion:   versionMark,
			Generation:        1,
			CreationTimestamp: created,
			Labels: map[string]string{
				"app.kubernetes.io/name":      "orders",
				"app.kubernetes.io/component": "api",
				"app.kubernetes.io/part-of":   "shop",
				"pod-template-hash":           "6c9f7d5b8d",
			},
			Annotations: map[string]string{
				"prometheus.io/scrape":              "true",
				"prometheus.io/port":                "9090",
				"kubectl.kubernetes.io/restartedAt": "2026-03-02T08:15:29Z",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "orders-6c9f7d5b8d",
				UID: "5f0c9a64-7c0b-4ed5-8f2f-1d5c8b6a7e90", Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{
				exampleContainer("api", "registry.example.com/shop/orders:4.18.2", 8080),
				exampleContainer("proxy", "registry.example.com/mesh/proxy:1.29.0", 15090),
			},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
					LocalObjectReference: corev1.LocalObjectReference{Name: "orders-config"}, DefaultMode: pointer[int32](0o644),
				}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
			RestartPolicy:                 corev1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: &graceSeconds,
			DNSPolicy:                     corev1.DNSClusterFirst,
			ServiceAccountName:            "orders",
			DeprecatedServiceAccount:      "orders",
			AutomountServiceAccountToken:  &no,
			NodeName:                      "node-017.eu-central-1.example.com",
			SecurityContext:               &corev1.PodSecurityContext{RunAsUser: &user, RunAsNonRoot: &yes},
			SchedulerName:                 "default-scheduler",
			Priority:                      pointer[int32](0),
			EnableServiceLinks:            &yes,
			PreemptionPolicy:              pointer(corev1.PreemptLowerPriority),
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &notReadySeconds},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &notReadySeconds},
			},
		},
		Status: exampleStatus(created),
	}
	fields, err := managedFields(pod, created, created)
	pod.ManagedFields = fields
	return pod, err
}

func exampleContainer(name, image string, port int32) corev1.Container {
	var variables []corev1.EnvVar
	for _, variable := range strings.Fields(`LOG_LEVEL=info LOG_FORMAT=json HTTP_PORT=8080 METRICS_PORT=9090
		DATABASE_HOST=orders-db.data.svc.cluster.local DATABASE_NAME=orders DATABASE_POOL=20 CACHE_HOST=orders-cache.data.svc.cluster.local
		QUEUE_URL=amqp://queue.data.svc.cluster.local:5672 FEATURES=refunds,gift-cards TRACING=http://otel.observe.svc:4317`) {
		key, value, _ := strings.Cut(variable, "=")
		variables = append(variables, corev1.EnvVar{Name: key, Value: value})
	}
	variables = append(variables,
		corev1.EnvVar{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"},
		}},
		corev1.EnvVar{Name: "DATABASE_PASSWORD", ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "orders-db"}, Key: "password"},
		}})
	probe := func(path string, delay int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP}},
			InitialDelaySeconds: delay, TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
		}
	}
	return corev1.Container{
		Name:  name,
		Image: image,
		Args:  []string{"--config=/etc/" + name + "/config.yaml"},
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: port, Protocol: corev1.ProtocolTCP}},
		Env:   variables,
		Resources: corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("512Mi")},
			Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("256Mi")},
		},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", ReadOnly: true, MountPath: "/etc/" + name},
			{Name: "scratch", MountPath: "/tmp"},
		},
		LivenessProbe:            probe("/healthz", 10),
		ReadinessProbe:           probe("/readyz", 5),
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy:          corev1.PullIfNotPresent,
	}
}

func exampleStatus(created metav1.Time) corev1.PodStatus {
	started := metav1.NewTime(created.Add(4 * time.Second))
	status := corev1.PodStatus{
		ObservedGeneration: 1,
		Phase:              corev1.PodRunning,
		HostIP:             "10.20.1.17",
		HostIPs:            []corev1.HostIP{{IP: "10.20.1.17"}},
		PodIP:              "10.244.17.42",
		PodIPs:             []corev1.PodIP{{IP: "10.244.17.42"}},
		StartTime:          &created,
		QOSClass:           corev1.PodQOSBurstable,
	}
	for _, condition := range []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: started,
		})
	}
	yes := true
	for index, container := range []string{"api", "proxy"} {
		digest := strings.Repeat(fmt.Sprintf("%d7c1e5a9f", index), 8)[:64]
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container, Ready: true, Started: &yes,
			Image:       "registry.example.com/shop/" + container + ":4.18.2",
			ImageID:     "registry.example.com/shop/" + container + "@sha256:" + digest,
			ContainerID: "containerd://" + digest,
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
		})
	}
	return status
}

func pointer[T any](value T) *T { return &value }
