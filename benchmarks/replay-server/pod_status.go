package main

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var conditionTypes = []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}

func runningStatus(random *rand.Rand, pod *corev1.Pod) corev1.PodStatus {
	status := corev1.PodStatus{
		ObservedGeneration: 1,
		Phase:              corev1.PodRunning,
		HostIP:             hostMark,
		HostIPs:            []corev1.HostIP{{IP: hostMark}},
		PodIP:              addressMark,
		PodIPs:             []corev1.PodIP{{IP: addressMark}},
		StartTime:          pointer(metav1.NewTime(createdMark)),
		QOSClass:           pick(random, corev1.PodQOSBurstable, corev1.PodQOSBestEffort),
	}
	for _, condition := range conditionTypes {
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: condition, ObservedGeneration: 1, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(startedMark),
		})
	}
	for index, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Ready: true, Started: pointer(true), Image: container.Image,
			ImageID:     container.Image + "@sha256:" + text(random, hexDigits, 64),
			ContainerID: "containerd://" + containerName(index),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(startedMark)}},
		})
	}
	return status
}

// The first container has ended before, and runs again since a moment ago.
func restartedStatus(random *rand.Rand, running corev1.PodStatus) corev1.PodStatus {
	status := *running.DeepCopy()
	touch(&status, corev1.ConditionTrue, "")
	container := &status.ContainerStatuses[0]
	container.RestartCount = int32(1 + random.IntN(40))
	container.State.Running.StartedAt = metav1.NewTime(changedMark)
	container.LastTerminationState = terminated(int32(pick(random, 1, 137, 143)), pick(random, "Error", "OOMKilled"))
	return status
}

func notReadyStatus(random *rand.Rand, running corev1.PodStatus) corev1.PodStatus {
	status := *running.DeepCopy()
	container := &status.ContainerStatuses[0]
	message := fmt.Sprintf("containers with unready status: [%s]", container.Name)
	touch(&status, corev1.ConditionFalse, message)
	container.Ready, container.Started, container.RestartCount = false, pointer(false), int32(1+random.IntN(40))
	container.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
		Reason: "CrashLoopBackOff", Message: fmt.Sprintf("back-off 5m0s restarting failed container=%s pod=%s", container.Name, nameMark),
	}}
	container.LastTerminationState = terminated(1, "Error")
	return status
}

func creatingStatus(running corev1.PodStatus) corev1.PodStatus {
	status := *running.DeepCopy()
	status.Phase, status.PodIP, status.PodIPs = corev1.PodPending, "", nil
	touch(&status, corev1.ConditionFalse, "containers with unready status")
	for index := range status.ContainerStatuses {
		container := &status.ContainerStatuses[index]
		container.Ready, container.Started, container.ImageID, container.ContainerID = false, pointer(false), "", ""
		container.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	}
	return status
}

func endedStatus(running corev1.PodStatus) corev1.PodStatus {
	status := *running.DeepCopy()
	status.Phase = corev1.PodSucceeded
	touch(&status, corev1.ConditionFalse, "")
	for index := range status.ContainerStatuses {
		container := &status.ContainerStatuses[index]
		container.Ready, container.Started = false, pointer(false)
		container.State = terminated(0, "Completed")
	}
	return status
}

func touch(status *corev1.PodStatus, ready corev1.ConditionStatus, message string) {
	for index := range status.Conditions {
		condition := &status.Conditions[index]
		if condition.Type != corev1.PodReady && condition.Type != corev1.ContainersReady {
			continue
		}
		condition.Status, condition.LastTransitionTime = ready, metav1.NewTime(changedMark)
		if message != "" {
			condition.Reason, condition.Message = "ContainersNotReady", message
		}
	}
}

func terminated(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, StartedAt: metav1.NewTime(startedMark), FinishedAt: metav1.NewTime(changedMark),
		ContainerID: "containerd://" + containerName(maxContainers),
	}}
}
