package main

import (
	"fmt"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A namespace that holds nothing: its watch brings the bookmarks that are ordered, and nothing else.
func (s *server) namespace(response http.ResponseWriter, request *http.Request) {
	encoding := s.negotiate(request)
	if encoding == nil {
		http.Error(response, "the replay server was not started with this encoding", http.StatusNotAcceptable)
		return
	}
	query := request.URL.Query()
	if !isTrue(query.Get("watch")) {
		s.listOf(response, encoding, 0, 0, metav1.ListMeta{ResourceVersion: fmt.Sprint(s.fleet.lastVersion())})
		return
	}
	response.Header().Set("Content-Type", encoding.watchType())
	stream := &frameStream{response: response, encoding: encoding, sent: &s.sent}
	if isTrue(query.Get("sendInitialEvents")) {
		closing, err := encoding.closingBookmark(s.fleet.lastVersion())
		if err != nil {
			return
		}
		stream.buffer = closing
	}
	if stream.flush() != nil {
		return
	}
	orders := s.open(s.quiet)
	defer s.close(s.quiet, orders)
	for {
		select {
		case <-request.Context().Done():
			return
		case version := <-orders:
			meta := metav1.ObjectMeta{ResourceVersion: fmt.Sprint(version)}
			frame, err := encoding.frame(watch.Bookmark, encoding.kind.empty(meta))
			if err != nil {
				return
			}
			stream.buffer = append(stream.buffer, frame...)
			if stream.flush() != nil {
				return
			}
		}
	}
}

func (s *server) orderBookmark(response http.ResponseWriter, request *http.Request) {
	version, err := strconv.Atoi(request.URL.Query().Get("version"))
	if err != nil {
		http.Error(response, "version must be a number", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for orders := range s.quiet {
		orders <- version
	}
	fmt.Fprint(response, len(s.quiet))
}

// By its uid a snapshot knows its server again.
func (s *server) identity(response http.ResponseWriter, _ *http.Request) {
	response.Header().Set("Content-Type", "application/json")
	_, _ = response.Write([]byte(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"00000000-0000-4000-8000-000000000017"}}`))
}
