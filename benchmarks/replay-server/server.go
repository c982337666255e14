package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// How many bytes are gathered before they are written to the socket.
const flushAt = 256 << 10

// Every watch sees the same story from its own beginning: the objects with the versions from firstVersion on, then the events
// that are ordered while it is open. So the programs that are measured one after another all get the same bytes.
type server struct {
	fleet     *fleet
	encodings map[string]*encoding

	mu      sync.Mutex
	opened  *sync.Cond
	watches map[chan int]struct{}
	quiet   map[chan int]struct{}
	served  map[string]int
	// How many events were ordered last.
	ordered int
	sent    atomic.Int64
}

func newServer(fleet *fleet, encodings map[string]*encoding) *server {
	s := &server{fleet: fleet, encodings: encodings, served: map[string]int{}}
	s.watches, s.quiet = map[chan int]struct{}{}, map[chan int]struct{}{}
	s.opened = sync.NewCond(&s.mu)
	return s
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	addDiscovery(mux)
	mux.HandleFunc("GET "+s.fleet.kind.path, s.collection)
	mux.HandleFunc("GET /api/v1/namespaces/kube-system", s.identity)
	mux.HandleFunc("GET /api/v1/namespaces/{namespace}/"+path.Base(s.fleet.kind.path), s.namespace)
	mux.HandleFunc("POST /control/events", s.orderEvents)
	mux.HandleFunc("POST /control/bookmark", s.orderBookmark)
	mux.HandleFunc("GET /control/served", s.tellServed)
	mux.HandleFunc("GET /control/watches", s.tellWatches)
	mux.HandleFunc("GET /control/sent", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(response, s.sent.Load())
	})
	return mux
}

// Protobuf where the client names it, as the API server does; JSON otherwise.
func (s *server) negotiate(request *http.Request) *encoding {
	if protobuf := s.encodings["protobuf"]; protobuf != nil && strings.Contains(request.Header.Get("Accept"), protobuf.mediaType) {
		return protobuf
	}
	return s.encodings["json"]
}

func (s *server) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served[what]++
}

func (s *server) collection(response http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	if query.Get("labelSelector") != "" || query.Get("fieldSelector") != "" {
		http.Error(response, "the replay server does not select", http.StatusBadRequest)
		return
	}
	encoding := s.negotiate(request)
	if encoding == nil {
		http.Error(response, "the replay server was not started with this encoding", http.StatusNotAcceptable)
		return
	}
	if isTrue(query.Get("watch")) {
		s.count(encoding.name)
		s.watch(response, request, encoding, isTrue(query.Get("sendInitialEvents")))
		return
	}
	s.count(encoding.name)
	limit, _ := strconv.Atoi(query.Get("limit"))
	from, _ := strconv.Atoi(query.Get("continue"))
	s.list(response, encoding, from, limit)
}

func isTrue(value string) bool { return value == "true" || value == "1" }

func (s *server) list(response http.ResponseWriter, encoding *encoding, from, limit int) {
	meta := metav1.ListMeta{ResourceVersion: fmt.Sprint(s.fleet.lastVersion())}
	to := s.fleet.objects
	if limit > 0 && from+limit < to {
		remaining := int64(to - from - limit)
		to = from + limit
		meta.Continue, meta.RemainingItemCount = fmt.Sprint(to), &remaining
	}
	s.listOf(response, encoding, min(from, to), to, meta)
}

func (s *server) listOf(response http.ResponseWriter, encoding *encoding, from, to int, meta metav1.ListMeta) {
	size := 0
	for number := from; number < to && encoding.name == "protobuf"; number++ {
		group, sent := s.fleet.at(number)
		size += encoding.itemSize(group, &sent)
	}
	head, tail, err := encoding.listFrame(size, meta)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", encoding.mediaType)
	buffer := append(make([]byte, 0, flushAt+64<<10), head...)
	for number := from; number < to; number++ {
		if number > from && encoding.name == "json" {
			buffer = append(buffer, ',')
		}
		group, sent := s.fleet.at(number)
		buffer = encoding.appendItem(buffer, group, &sent)
		if len(buffer) >= flushAt {
			s.sent.Add(int64(len(buffer)))
			if _, err := response.Write(buffer); err != nil {
				return
			}
			buffer = buffer[:0]
		}
	}
	buffer = append(buffer, tail...)
	s.sent.Add(int64(len(buffer)))
	_, _ = response.Write(buffer)
}

func (s *server) watch(response http.ResponseWriter, request *http.Request, encoding *encoding, initial bool) {
	response.Header().Set("Content-Type", encoding.watchType())
	stream := &frameStream{response: response, encoding: encoding, sent: &s.sent, buffer: make([]byte, 0, flushAt+64<<10)}
	if initial {
		for number := range s.fleet.objects {
			group, sent := s.fleet.at(number)
			if stream.send(watch.Added, group, &sent) != nil {
				return
			}
		}
		bookmark, err := encoding.closingBookmark(s.fleet.lastVersion())
		if err != nil {
			return
		}
		stream.buffer = append(stream.buffer, bookmark...)
	}
	if stream.flush() != nil {
		return
	}
	orders := s.open(s.watches)
	defer s.close(s.watches, orders)
	next := s.seen(request)
	if next > 0 {
		orders <- s.missed(next)
	}
	for {
		select {
		case <-request.Context().Done():
			return
		case count := <-orders:
			for range count {
				next++
				group, sent := s.fleet.update(next)
				if stream.send(watch.Modified, group, &sent) != nil {
					return
				}
			}
			if stream.flush() != nil {
				return
			}
		}
	}
}

// How many events a client has seen whose watch was cut, and which opens another from where it was.
func (s *server) seen(request *http.Request) int {
	version, _ := strconv.Atoi(request.URL.Query().Get("resourceVersion"))
	return max(0, version-s.fleet.lastVersion())
}

func (s *server) missed(seen int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.ordered-seen)
}

type frameStream struct {
	response http.ResponseWriter
	encoding *encoding
	sent     *atomic.Int64
	buffer   []byte
}

func (f *frameStream) send(event watch.EventType, group *group, sent *sent) error {
	f.buffer = f.encoding.appendFrame(f.buffer, event, group, sent)
	if len(f.buffer) < flushAt {
		return nil
	}
	return f.flush()
}

func (f *frameStream) flush() error {
	f.sent.Add(int64(len(f.buffer)))
	_, err := f.response.Write(f.buffer)
	f.buffer = f.buffer[:0]
	if err != nil {
		return err
	}
	return http.NewResponseController(f.response).Flush()
}

func (s *server) open(watches map[chan int]struct{}) chan int {
	s.mu.Lock()
	defer s.mu.Unlock()
	orders := make(chan int, 16)
	watches[orders] = struct{}{}
	s.opened.Broadcast()
	return orders
}

func (s *server) close(watches map[chan int]struct{}, orders chan int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(watches, orders)
}

// Waits for a watch when there is none: a client that lists first opens it a moment after it has said that it is synced.
func (s *server) orderEvents(response http.ResponseWriter, request *http.Request) {
	count, err := strconv.Atoi(request.URL.Query().Get("count"))
	if err != nil || count < 1 {
		http.Error(response, "count must be a positive number", http.StatusBadRequest)
		return
	}
	patience := time.AfterFunc(30*time.Second, s.opened.Broadcast)
	defer patience.Stop()
	deadline := time.Now().Add(30 * time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.watches) == 0 {
		if !time.Now().Before(deadline) {
			http.Error(response, "no watch was opened within 30 s", http.StatusConflict)
			return
		}
		s.opened.Wait()
	}
	s.ordered = count
	for orders := range s.watches {
		orders <- count
	}
	fmt.Fprintf(response, `{"watches":%d}`, len(s.watches))
}

func (s *server) tellWatches(response http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(response, len(s.watches))
}

func (s *server) tellServed(response http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = json.NewEncoder(response).Encode(s.served)
}
