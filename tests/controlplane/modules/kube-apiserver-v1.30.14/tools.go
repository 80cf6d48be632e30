//go:build tools

// Package tools keeps the server among the module's requirements: a go.mod of Go 1.22 knows no "tool" line.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
