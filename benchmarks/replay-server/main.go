// Command replay-server stands for an API server that is never the bottleneck. It encodes one object of each workload, in
// each state that it can be in, with the serializers of Kubernetes; for each object that it sends, it copies those bytes and
// writes what that object has of its own over them: name, uid, version, node, addresses, times, container ids. All follows from
// the seed. It serves LIST, WatchList and WATCH of one kind, over plain HTTP/1.1 and over TLS with HTTP/2 and HTTP/1.1,
// and as much discovery as clients ask for before they start.
//
//	POST /control/events?count=N        sends N MODIFIED events, in random order, to every watch that is open
//	POST /control/bookmark?version=V    sends a bookmark to every watch of a namespace, which holds nothing
//	GET  /control/served                how many lists and watches were answered in which encoding
//	GET  /control/sent                  how many bytes of lists and watches have been sent
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

type options struct {
	kind      string
	objects   int
	seed      uint64
	encodings string
	ca        string
	sizes     bool
}

func main() {
	var o options
	flag.StringVar(&o.kind, "kind", "pods", "pods, one-pod (copies of one), events, configmaps, secrets or databases (custom resources)")
	flag.IntVar(&o.objects, "objects", 20_000, "how many objects there are")
	flag.Uint64Var(&o.seed, "seed", 17, "what the objects are made from")
	flag.StringVar(&o.encodings, "encodings", "json,protobuf", "those that are served")
	flag.StringVar(&o.ca, "ca", "", "the file to which the certificate of the server is written; without it there is no TLS")
	flag.BoolVar(&o.sizes, "sizes", false, "print how large an object is on average in each encoding, and end")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Prints the ports as one line of JSON when everything is ready to be sent.
func run(o options) error {
	kind, ok := kinds[o.kind]
	if !ok {
		return fmt.Errorf("-kind cannot be %q", o.kind)
	}
	if o.objects < 1 || o.objects > maxObjects {
		return fmt.Errorf("-objects must be between 1 and %d", maxObjects)
	}
	encodings, err := newEncodings(kind, strings.Split(o.encodings, ","))
	if err != nil {
		return err
	}
	if o.sizes {
		return printSizes(kind, o.seed, encodings)
	}
	fleet, err := newFleet(kind, o.seed, o.objects, encodings)
	if err != nil {
		return err
	}
	handler := newServer(fleet, encodings).handler()
	ports := map[string]int{}
	failed := make(chan error, 2)
	serve := func(name string, serve func(net.Listener) error) error {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		ports[name] = listener.Addr().(*net.TCPAddr).Port
		go func() { failed <- serve(listener) }()
		return nil
	}
	server := &http.Server{Handler: handler}
	if err := serve("http", server.Serve); err != nil {
		return err
	}
	if o.ca != "" {
		if server.TLSConfig, err = newCertificate(o.ca); err != nil {
			return err
		}
		if err := serve("https", func(listener net.Listener) error { return server.ServeTLS(listener, "", "") }); err != nil {
			return err
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(ports); err != nil {
		return err
	}
	return <-failed
}
