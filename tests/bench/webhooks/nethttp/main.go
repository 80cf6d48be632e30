// Command nethttp is the webhook of the benchmark as fast as Go makes it without much ado: net/http, no framework,
// gjson to find what is needed in the bytes of the review, the patch written by hand.
//
//	nethttp PORT PROBE_PORT CERTIFICATE KEY
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

const (
	host    = "127.0.0.1"
	maxBody = 32 << 20
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: nethttp PORT PROBE_PORT CERTIFICATE KEY")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

// serve answers until SIGTERM.
func serve(port, probePort, certificate, key string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	reviews, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	probes, err := net.Listen("tcp", net.JoinHostPort(host, probePort))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mutate", mutate)
	server := &http.Server{Handler: mux, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	go func() { _ = http.Serve(probes, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) }()
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ServeTLS(reviews, certificate, key); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func mutate(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := review(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

// read returns the body of a request; one whose length is known is read in one piece.
func read(r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errors.New("the body is too long")
	}
	if r.ContentLength < 0 {
		return io.ReadAll(io.LimitReader(r.Body, maxBody))
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, body)
	return body, err
}
