package main

import (
	"bytes"
	"fmt"
	"time"
)

// What stands in an encoded object where each object that is sent has something of its own. What replaces it is as wide.
const (
	nameMark      = "z2NMz"
	volumeMark    = "z2VLz"
	uidMark       = "UIDMARKS-4a51-4c0e-9b1f-0123456789ab"
	versionMark   = "RVRVRVRVRV"
	nodeMark      = "ip-10-NDA-NDB-NDC"
	hostMark      = "10.HSA.HSB.HSC"
	addressMark   = "10.PDA.PDB.PDC"
	containerMark = "CONTAINERMARKCONTAINERMARKCONTAINERMARKCONTAINERMARKCONTAINERMA" // and a digit
)

var (
	createdMark = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	startedMark = time.Date(2001, 3, 4, 5, 6, 7, 0, time.UTC)
	changedMark = time.Date(2001, 4, 5, 6, 7, 8, 0, time.UTC)
)

type mark struct {
	bytes []byte
	write func(to []byte, sent *sent)
}

// The marks of an encoding: a time is text in JSON, and a number of seconds in protobuf.
func marksOf(encoding string) []mark {
	marks := []mark{
		{[]byte(nameMark), func(to []byte, sent *sent) { copy(to, sent.name[:]) }},
		{[]byte(volumeMark), func(to []byte, sent *sent) { suffix(to, (sent.random[3]>>9)%suffixes) }},
		{[]byte(uidMark), func(to []byte, sent *sent) { uid(to, sent.random[1], sent.random[2]) }},
		{[]byte(versionMark), func(to []byte, sent *sent) { digits(to, sent.version) }},
		{[]byte(nodeMark), func(to []byte, sent *sent) { octets(to[6:], sent.node) }},
		{[]byte(hostMark), func(to []byte, sent *sent) { octets(to[3:], sent.node) }},
		{[]byte(addressMark), func(to []byte, sent *sent) { octets(to[3:], int(sent.random[3]%3_000_000)) }},
	}
	for container := range uint64(maxContainers + 1) {
		name := []byte(containerName(int(container)))
		marks = append(marks, mark{name, func(to []byte, sent *sent) { hex(to, sent.random[4]+container) }})
	}
	times := []struct {
		mark time.Time
		of   func(sent *sent) int64
	}{
		{createdMark, func(sent *sent) int64 { return sent.created }},
		{startedMark, func(sent *sent) int64 { return sent.started }},
		{changedMark, func(sent *sent) int64 { return sent.changed }},
	}
	for _, at := range times {
		if encoding == "json" {
			text := []byte(at.mark.Format(time.RFC3339))
			marks = append(marks, mark{text, func(to []byte, sent *sent) { writeTime(to, at.of(sent)) }})
		} else {
			seconds := varint(at.mark.Unix())
			marks = append(marks, mark{seconds, func(to []byte, sent *sent) { copy(to, varint(at.of(sent))) }})
		}
	}
	return marks
}

func containerName(index int) string { return fmt.Sprintf("%s%d", containerMark, index) }

type place struct {
	mark   uint8
	offset uint32
}

// Bytes that carry marks, and where: what is sent is a copy of them with the marks written over.
type template struct {
	bytes  []byte
	places []place
}

func newTemplate(encoded []byte, marks []mark) template {
	t := template{bytes: encoded}
	for index, mark := range marks {
		for start := 0; ; {
			next := bytes.Index(encoded[start:], mark.bytes)
			if next < 0 {
				break
			}
			t.places = append(t.places, place{uint8(index), uint32(start + next)})
			start += next + len(mark.bytes)
		}
	}
	return t
}

// Appends the bytes of one object.
func (t *template) append(to []byte, marks []mark, sent *sent) []byte {
	start := len(to)
	to = append(to, t.bytes...)
	written := to[start:]
	for _, place := range t.places {
		mark := &marks[place.mark]
		mark.write(written[place.offset:][:len(mark.bytes)], sent)
	}
	return to
}

// The states of one object have their beginning in common (metadata and spec), which is stored once.
type body struct {
	head  template
	tails []template
}

func newBody(states [][]byte, marks []mark) body {
	cut := len(states[0])
	for _, state := range states[1:] {
		cut = min(cut, commonPrefix(states[0], state))
	}
	whole := newTemplate(states[0], marks)
	for _, place := range whole.places {
		if int(place.offset) < cut && int(place.offset)+len(marks[place.mark].bytes) > cut {
			cut = int(place.offset)
		}
	}
	b := body{head: newTemplate(bytes.Clone(states[0][:cut]), marks)}
	for _, state := range states {
		b.tails = append(b.tails, newTemplate(bytes.Clone(state[cut:]), marks))
	}
	return b
}

func commonPrefix(a, b []byte) int {
	shorter := min(len(a), len(b))
	for index := range shorter {
		if a[index] != b[index] {
			return index
		}
	}
	return shorter
}

func (b *body) size(state int) int { return len(b.head.bytes) + len(b.tails[state].bytes) }

func (b *body) append(to []byte, marks []mark, sent *sent) []byte {
	return b.tails[sent.state].append(b.head.append(to, marks, sent), marks, sent)
}
