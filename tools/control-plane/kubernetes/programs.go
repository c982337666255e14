//go:build tools

// Package kubernetes pins the programs of a Kubernetes control plane, so that `go build` finds them in this module.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
