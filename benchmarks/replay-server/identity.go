package main

import (
	"encoding/binary"
	"time"
)

const (
	maxObjects    = 9_999_999
	maxContainers = 4
	// The resourceVersion of the first object: every one has ten digits.
	firstVersion = 1_000_000_000
	podsOnANode  = 30
	letters      = "2456789bcdfghjklmnpqrstvwxz"
	suffixes     = 27 * 27 * 27 * 27 * 27
)

var (
	today   = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC).Unix()
	quarter = int64(90 * 24 * 3600)
)

// All that one object, as it is sent once, has of its own.
type sent struct {
	name    [5]byte
	version int
	// Which of the states of its group.
	state                     int
	node                      int
	created, started, changed int64
	random                    [5]uint64
}

// What differs from object to object follows from its number alone, so that every client is sent the same.
func identity(seed uint64, number, ordinal, siblings, objects int) sent {
	s := sent{version: firstVersion + number}
	for index := range s.random {
		s.random[index] = mix(seed, uint64(number)*8+uint64(index))
	}
	// In the order of the numbers, as names are sent in the order of their keys.
	step := uint64(suffixes / siblings)
	suffix(s.name[:], uint64(ordinal)*step+s.random[0]%step)
	s.node = int(s.random[1] % uint64(1+objects/podsOnANode))
	s.created = today - int64(s.random[2])&0x7fffffff%quarter - 60
	s.started = s.created + 1 + int64(s.random[3]%50)
	s.changed = s.started + int64(s.random[4]%5)
	return s
}

// SplitMix64 of a seed and a number.
func mix(seed, number uint64) uint64 {
	z := seed + (number+1)*0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func suffix(to []byte, number uint64) {
	for index := len(to) - 1; index >= 0; index-- {
		to[index] = letters[number%27]
		number /= 27
	}
}

func hex(to []byte, seed uint64) {
	const digits = "0123456789abcdef"
	for index := range to {
		if index%16 == 0 {
			seed = mix(seed, uint64(index))
		}
		to[index] = digits[seed>>(4*(index%16))&15]
	}
}

// As random uids are written: 8-4-4-4-12 digits, of the version 4.
func uid(to []byte, a, b uint64) {
	hex(to, a^b)
	for _, dash := range []int{8, 13, 18, 23} {
		to[dash] = '-'
	}
	to[14] = '4'
	to[19] = 'a'
}

// Three numbers of three digits each, with one byte between them.
func octets(to []byte, number int) {
	for _, index := range []int{8, 4, 0} {
		digits(to[index:][:3], 100+number%150)
		number /= 150
	}
}

// Writes a number in decimal over all of `to`.
func digits(to []byte, number int) {
	for index := len(to) - 1; index >= 0; index-- {
		to[index] = byte('0' + number%10)
		number /= 10
	}
}

func writeTime(to []byte, seconds int64) {
	time.Unix(seconds, 0).UTC().AppendFormat(to[:0], time.RFC3339)
}

// Of the seconds since 1970; five bytes for every date from 1978 to 3058.
func varint(seconds int64) []byte { return binary.AppendUvarint(nil, uint64(seconds)) }
