// Command replay-server stands for an API server that is never the bottleneck: it encodes one pod with the serializers of
// Kubernetes and then, for each pod it sends, copies those bytes and writes the name, namespace, uid and
// resourceVersion over them. It serves LIST, WatchList, WATCH and GET of pods in JSON and in protobuf, and as much
// discovery as clients ask for before they start.
//
//	POST /control/events?count=N   sends N MODIFIED events, round the pods, to every watch that is open
//	GET  /control/served           how many lists and watches were answered in which encoding
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
)

func main() {
	pods := flag.Int("pods", 20_000, "how many pods there are")
	port := flag.Int("port", 0, "where to listen on loopback; 0: any free port, which is printed")
	sizes := flag.Bool("sizes", false, "print how large the pod is in each encoding, and end")
	flag.Parse()
	if err := run(*pods, *port, *sizes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(pods, port int, sizes bool) error {
	if sizes {
		return printSizes()
	}
	if pods < 1 || pods > maxPods {
		return fmt.Errorf("-pods must be between 1 and %d", maxPods)
	}
	server, err := newServer(pods)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return http.Serve(listener, server.handler())
}
