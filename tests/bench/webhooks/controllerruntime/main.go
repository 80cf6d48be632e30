// Command controllerruntime is the webhook of the benchmark as people write it: controller-runtime's admission
// package, the object decoded into an Unstructured, changed, encoded again and compared with what came in.
//
//	controllerruntime PORT PROBE_PORT CERTIFICATE KEY
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const host = "127.0.0.1"

// trimmer is the admission handler.
type trimmer struct {
	decoder admission.Decoder
}

// Handle implements admission.Handler.
func (t *trimmer) Handle(_ context.Context, req admission.Request) admission.Response {
	object := &unstructured.Unstructured{}
	if err := t.decoder.Decode(req, object); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := trim(object); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	trimmed, err := json.Marshal(object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, trimmed)
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: controllerruntime PORT PROBE_PORT CERTIFICATE KEY")
		os.Exit(2)
	}
	ctrl.SetLogger(zap.New())
	if err := serve(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		ctrl.Log.Error(err, "cannot serve")
		os.Exit(1)
	}
}

// serve answers until SIGTERM.
func serve(port, probePort, certificate, key string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("the port: %w", err)
	}
	if filepath.Dir(certificate) != filepath.Dir(key) {
		return fmt.Errorf("certificate and key have to be in one folder: %s, %s", certificate, key)
	}
	server := webhook.NewServer(webhook.Options{
		Host:     host,
		Port:     number,
		CertDir:  filepath.Dir(certificate),
		CertName: filepath.Base(certificate),
		KeyName:  filepath.Base(key),
	})
	decoder := admission.NewDecoder(runtime.NewScheme())
	server.Register("/mutate", &admission.Webhook{Handler: &trimmer{decoder: decoder}})

	probes, err := net.Listen("tcp", net.JoinHostPort(host, probePort))
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(probes, readyz(server)) }()
	return server.Start(ctrl.SetupSignalHandler())
}

// readyz answers 200 once reviews are answered.
func readyz(server webhook.Server) http.Handler {
	mux := http.NewServeMux()
	started := server.StartedChecker()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := started(r); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	return mux
}
