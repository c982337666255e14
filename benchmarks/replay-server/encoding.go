package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
)

// How objects, lists and watches are written. The objects are encoded by the serializers of Kubernetes; what stands around
// them is put together here, because each has another size, and `check` compares it with what the serializers write.
type encoding struct {
	name      string
	mediaType string
	kind      kind
	marks     []mark
	object    runtime.Encoder
	event     runtime.Encoder
	framer    runtime.Framer
	// What is before the body of an object that stands alone, and in JSON in a list.
	opening, itemOpening []byte
}

func newEncodings(kind kind, names []string) (map[string]*encoding, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	codecs := serializer.NewCodecFactory(scheme)
	mediaTypes := map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf}
	encodings := map[string]*encoding{}
	for _, name := range names {
		info, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), mediaTypes[name])
		if !ok || kind.custom && name != "json" {
			return nil, fmt.Errorf("no serializer of %s for %q", kind.kind, name)
		}
		e := &encoding{
			name: name, mediaType: mediaTypes[name], kind: kind, marks: marksOf(name),
			object: codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion),
			event:  info.StreamSerializer.Serializer,
			framer: info.StreamSerializer.Framer,
		}
		switch {
		case kind.custom:
			e.object = unstructured.UnstructuredJSONScheme
		case name == "json":
			e.opening, e.itemOpening = fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,`, kind.kind, kind.apiVersion), []byte("{")
		default:
			e.opening = unknownOpening(kind.apiVersion, kind.kind)
		}
		encodings[name] = e
	}
	return encodings, nil
}

// `k8s\0` and the first field of a runtime.Unknown {1: type, 2: raw, 3: contentEncoding, 4: contentType}.
func unknownOpening(apiVersion, kind string) []byte {
	typeMeta := bytesField(bytesField(nil, 1, []byte(apiVersion)), 2, []byte(kind))
	return bytesField([]byte("k8s\x00"), 1, typeMeta)
}

var unknownClosing = []byte{3<<3 | 2, 0, 4<<3 | 2, 0}

func bytesField(to []byte, field int, value []byte) []byte {
	return append(lengthField(to, field, len(value)), value...)
}

func lengthField(to []byte, field, length int) []byte {
	return binary.AppendUvarint(append(to, byte(field<<3|2)), uint64(length))
}

// How many bytes a field of this many takes.
func fieldSize(length int) int {
	size := 2
	for rest := length >> 7; rest > 0; rest >>= 7 {
		size++
	}
	return size + length
}

func (e *encoding) watchType() string {
	if e.name == "protobuf" {
		return e.mediaType + ";stream=watch"
	}
	return e.mediaType
}

// The part of an object that is the same in a response, a list and a watch.
func (e *encoding) body(object runtime.Object) ([]byte, error) {
	if e.name == "protobuf" {
		return object.(interface{ Marshal() ([]byte, error) }).Marshal()
	}
	if e.kind.custom {
		return json.Marshal(object.(*unstructured.Unstructured).Object)
	}
	whole, err := runtime.Encode(e.object, object)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(bytes.TrimSuffix(whole, []byte("\n")), e.opening)
	if !ok {
		return nil, fmt.Errorf("the object begins with %.60q", whole)
	}
	return rest, nil
}

// Appends an object as it stands in a list.
func (e *encoding) appendItem(to []byte, group *group, sent *sent) []byte {
	body := group.bodies[e.name]
	if e.name == "protobuf" {
		to = lengthField(to, 2, body.size(sent.state))
	}
	return body.append(append(to, e.itemOpening...), e.marks, sent)
}

func (e *encoding) itemSize(group *group, sent *sent) int {
	return fieldSize(group.bodies[e.name].size(sent.state))
}

// Appends a frame of a watch.
func (e *encoding) appendFrame(to []byte, event watch.EventType, group *group, sent *sent) []byte {
	body := group.bodies[e.name]
	if e.name == "json" {
		to = append(append(append(to, `{"type":"`...), event...), `","object":`...)
		to = body.append(append(to, e.opening...), e.marks, sent)
		return append(to, "}\n"...)
	}
	// WatchEvent {1: type, 2: RawExtension {1: raw}} behind its length in four bytes; raw is a runtime.Unknown.
	unknown := len(e.opening) + fieldSize(body.size(sent.state)) + len(unknownClosing)
	extension := fieldSize(unknown)
	to = binary.BigEndian.AppendUint32(to, uint32(fieldSize(len(event))+fieldSize(extension)))
	to = lengthField(bytesField(to, 1, []byte(event)), 2, extension)
	to = append(lengthField(to, 1, unknown), e.opening...)
	to = body.append(lengthField(to, 2, body.size(sent.state)), e.marks, sent)
	return append(to, unknownClosing...)
}

// The frame that ends the initial events of a WatchList.
func (e *encoding) closingBookmark(version int) ([]byte, error) {
	meta := metav1.ObjectMeta{ResourceVersion: fmt.Sprint(version), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}
	return e.frame(watch.Bookmark, e.kind.empty(meta))
}

// A frame as the serializers write it.
func (e *encoding) frame(event watch.EventType, object runtime.Object) ([]byte, error) {
	raw, err := runtime.Encode(e.object, object)
	if err != nil {
		return nil, err
	}
	// The JSON serializer ends every object with a newline, which the one around it drops.
	if e.name == "json" {
		raw = bytes.TrimSuffix(raw, []byte("\n"))
	}
	var frame bytes.Buffer
	err = e.event.Encode(&metav1.WatchEvent{Type: string(event), Object: runtime.RawExtension{Raw: raw}}, e.framer.NewFrameWriter(&frame))
	return frame.Bytes(), err
}

// The bytes before and after the items of a list that take `size` bytes.
func (e *encoding) listFrame(size int, meta metav1.ListMeta) (head, tail []byte, err error) {
	if e.name == "json" {
		encoded, err := json.Marshal(meta)
		return fmt.Appendf(nil, `{"kind":"%sList","apiVersion":%q,"metadata":%s,"items":[`, e.kind.kind, e.kind.apiVersion, encoded), []byte("]}\n"), err
	}
	encoded, err := meta.Marshal()
	listMeta := bytesField(nil, 1, encoded)
	head = lengthField(unknownOpening(e.kind.apiVersion, e.kind.kind+"List"), 2, len(listMeta)+size)
	return append(head, listMeta...), unknownClosing, err
}

// Compares a frame with what the serializers write for the same object: with the marks in it, so that it is the same.
func (e *encoding) check(object runtime.Object) error {
	encoded, err := e.body(object)
	if err != nil {
		return err
	}
	whole := newBody([][]byte{encoded}, nil)
	own := e.appendFrame(nil, watch.Modified, &group{bodies: map[string]*body{e.name: &whole}}, &sent{})
	theirs, err := e.frame(watch.Modified, object)
	if err == nil && !bytes.Equal(own, theirs) {
		err = fmt.Errorf("a frame of %s in %s is not what the serializers write:\n%q\n%q", e.kind.kind, e.name, own, theirs)
	}
	return err
}
