//go:build programs

// Package helm names the program that is built here, so that `go mod tidy` keeps what it needs.
package helm

import _ "helm.sh/helm/v3/cmd/helm"
