package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
)

// All that is sent in one encoding, except for what differs from pod to pod.
type encoding struct {
	name      string
	mediaType string
	// Without kind and apiVersion where the serializer leaves them out of a list.
	item     *template
	pod      *template
	added    *template
	modified *template
	codec    codec
}

// What the API server does to an object on its way into a response, a list or a watch.
type codec struct {
	object runtime.Encoder
	event  runtime.Encoder
	framer runtime.Framer
}

func newEncodings() (map[string]*encoding, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	codecs := serializer.NewCodecFactory(scheme)
	pod, err := examplePod()
	if err != nil {
		return nil, err
	}
	encodings := map[string]*encoding{}
	for name, mediaType := range map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf} {
		info, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), mediaType)
		if !ok {
			return nil, fmt.Errorf("no serializer for %s", mediaType)
		}
		e := &encoding{name: name, mediaType: mediaType, codec: codec{
			object: codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion),
			event:  info.StreamSerializer.Serializer,
			framer: info.StreamSerializer.Framer,
		}}
		if err := e.prepare(pod); err != nil {
			return nil, err
		}
		encodings[name] = e
	}
	return encodings, nil
}

func (e *encoding) prepare(pod *corev1.Pod) error {
	object, err := runtime.Encode(e.codec.object, pod)
	if err != nil {
		return err
	}
	if e.pod, err = newTemplate(object); err != nil {
		return err
	}
	for kind, into := range map[watch.EventType]**template{watch.Added: &e.added, watch.Modified: &e.modified} {
		frame, err := e.codec.frame(kind, pod)
		if err != nil {
			return err
		}
		if *into, err = newTemplate(frame); err != nil {
			return err
		}
	}
	if e.item, err = e.listItem(pod); err != nil {
		return err
	}
	return nil
}

// A frame of a watch.
func (c codec) frame(kind watch.EventType, pod *corev1.Pod) ([]byte, error) {
	raw, err := runtime.Encode(c.object, pod)
	if err != nil {
		return nil, err
	}
	// The JSON serializer ends every object with a newline, which the one around it drops.
	event := &metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: bytes.TrimRight(raw, "\n")}}
	if bytes.HasPrefix(raw, []byte("k8s\x00")) {
		event.Object.Raw = raw
	}
	var frame bytes.Buffer
	err = c.event.Encode(event, c.framer.NewFrameWriter(&frame))
	return frame.Bytes(), err
}

// The frame that ends the initial events of a WatchList.
func (c codec) closingBookmark(version int) ([]byte, error) {
	return c.frame(watch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		ResourceVersion: fmt.Sprint(version),
		Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}})
}

// A pod as it stands in a list: what is between the head and the tail of a list of one.
func (e *encoding) listItem(pod *corev1.Pod) (*template, error) {
	item := pod.DeepCopy()
	item.TypeMeta = metav1.TypeMeta{}
	list, err := runtime.Encode(e.codec.object, &corev1.PodList{Items: []corev1.Pod{*item}})
	if err != nil {
		return nil, err
	}
	if e.name == "json" {
		start := bytes.Index(list, []byte(`"items":[`)) + len(`"items":[`)
		end := bytes.LastIndex(list, []byte("]}"))
		return newTemplate(list[start:end])
	}
	body, err := item.Marshal()
	if err != nil {
		return nil, err
	}
	// Field 2 of a PodList, of the wire type "bytes".
	return newTemplate(append(binary.AppendUvarint([]byte{2<<3 | 2}, uint64(len(body))), body...))
}

// The bytes before and after the items of a list.
func (e *encoding) listFrame(items int, meta metav1.ListMeta) (head, tail []byte, err error) {
	list := &corev1.PodList{ListMeta: meta, Items: []corev1.Pod{}}
	if e.name == "json" {
		whole, err := runtime.Encode(e.codec.object, list)
		if err != nil {
			return nil, nil, err
		}
		cut := bytes.LastIndex(whole, []byte("]}"))
		return whole[:cut], whole[cut:], nil
	}
	body, err := list.Marshal()
	if err != nil {
		return nil, nil, err
	}
	typeMeta, err := (&runtime.TypeMeta{APIVersion: "v1", Kind: "PodList"}).Marshal()
	if err != nil {
		return nil, nil, err
	}
	// runtime.Unknown {1: type, 2: raw, 3: contentEncoding, 4: contentType}, behind the four bytes that mark protobuf.
	head = append([]byte("k8s\x00"), 1<<3|2)
	head = append(binary.AppendUvarint(head, uint64(len(typeMeta))), typeMeta...)
	head = binary.AppendUvarint(append(head, 2<<3|2), uint64(len(body)+items*len(e.item.bytes)))
	return append(head, body...), []byte{3<<3 | 2, 0, 4<<3 | 2, 0}, nil
}
