//go:build tools

// Package conformance pins Kubernetes' own end-to-end suite and the program that runs it in parallel.
package conformance

import (
	_ "github.com/onsi/ginkgo/v2/ginkgo"
	_ "k8s.io/kubernetes/test/e2e"
)
