package main

import (
	"math"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// Names that are traps for one language or the other, and texts that JSON has to escape.
var strangeStrings = []string{
	"__proto__", "constructor", "toString", "null", "", " ", "0", "a/b", "k8s.io/x", "\x00", "\"quoted\\\"", "line\nbreak",
	"<b>&amp;</b>", "\u2028\u2029", "Zürich", "日本語", "🌊", "e\u0301", "\ufeff", "\ufffd", strings.Repeat("long ", 60), strings.Repeat("ß", 130),
}

var quantities = []string{
	"0", "1", "-1", "100m", "1500m", "1u", "1n", "1Ki", "128Mi", "1.5Gi", "3e6", "1E", "0.1", "12345678901234567890", "-250m", "1e-3", "7Pi",
}

var jsonValues = []string{
	`{}`, `{"a":1}`, `{"__proto__":{"x":[1,2.5,null]},"constructor":"y"}`, `{"kind":"Any","apiVersion":"example.com/v1","spec":{"on":true}}`,
	`{"text":"\u2028 \u00fc \ud83c\udf0a","empty":"","list":[[],{}]}`,
}

var anyJSONValues = append([]string{`null`, `true`, `0`, `-1.5e300`, `"text"`, `[1,"2",{}]`, `""`}, jsonValues...)

func fill(object any, seed int64) {
	randfill.NewWithSeed(seed).NilChance(0.35).NumElements(0, 3).MaxDepth(40).Funcs(
		// The envelope carries them.
		func(*metav1.TypeMeta, randfill.Continue) {},
		fillString,
		func(v *bool, c randfill.Continue) { *v = c.Bool() },
		func(v *int32, c randfill.Continue) { *v = int32(randomInteger(c)) },
		func(v *int64, c randfill.Continue) { *v = randomInteger(c) },
		func(v *int, c randfill.Continue) { *v = int(randomInteger(c)) },
		func(v *float64, c randfill.Continue) {
			*v = []float64{0, 1, -2.5, 0.1, 1e21, 5e-324, math.MaxFloat64, c.NormFloat64()}[c.Intn(8)]
		},
		func(v *[]byte, c randfill.Continue) {
			if n := c.Intn(12) - 2; n >= 0 {
				*v = make([]byte, n)
				c.Rand.Read(*v)
			}
		},
		func(v *metav1.Time, c randfill.Continue) { v.Time = randomTime(c) },
		func(v *metav1.MicroTime, c randfill.Continue) { v.Time = randomTime(c) },
		func(v *metav1.Duration, c randfill.Continue) { v.Duration = time.Duration(randomInteger(c)) },
		func(v *resource.Quantity, c randfill.Continue) { *v = resource.MustParse(pick(c, quantities)) },
		func(v *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*v = intstr.FromInt32(int32(randomInteger(c)))
			} else {
				fillString(&v.StrVal, c)
				v.Type = intstr.String
			}
		},
		func(v *runtime.RawExtension, c randfill.Continue) { v.Raw = randomJSON(c, jsonValues) },
		func(v *metav1.FieldsV1, c randfill.Continue) { v.SetRawBytes(randomJSON(c, jsonValues)) },
		func(v *apiextensionsv1.JSON, c randfill.Continue) { v.Raw = randomJSON(c, anyJSONValues) },
		func(v *apiextensionsv1beta1.JSON, c randfill.Continue) { v.Raw = randomJSON(c, anyJSONValues) },
		// A schema holds schemas in a dozen places: filled each time, it would never end.
		func(v *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			if fillString(&v.Title, c); c.Intn(8) == 0 {
				c.FillNoCustom(v)
			}
		},
		func(v *apiextensionsv1beta1.JSONSchemaProps, c randfill.Continue) {
			if fillString(&v.Title, c); c.Intn(8) == 0 {
				c.FillNoCustom(v)
			}
		},
	).Fill(object)
}

func pick(c randfill.Continue, list []string) string {
	return list[c.Intn(len(list))]
}

func fillString(v *string, c randfill.Continue) {
	switch c.Intn(4) {
	case 0:
		*v = ""
	case 1:
		*v = pick(c, strangeStrings)
	default:
		letters := make([]byte, 1+c.Intn(20))
		for i := range letters {
			letters[i] = "abcdefghijklmnopqrstuvwxyz0123456789-./"[c.Intn(39)]
		}
		*v = string(letters)
	}
}

func randomInteger(c randfill.Continue) int64 {
	switch c.Intn(4) {
	case 0:
		return 0
	case 1:
		return c.Int63n(256) - 128
	case 2:
		return int64(c.Uint64() >> c.Intn(64))
	default:
		return -int64(c.Uint64() >> (1 + c.Intn(63)))
	}
}

// From the year 1 to 9999, which is what RFC 3339 can write.
func randomTime(c randfill.Continue) time.Time {
	switch c.Intn(4) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(c.Int63n(253402300800+62135596799)-62135596799, c.Int63n(1e9))
	default:
		return time.Unix(c.Int63n(2e9), c.Int63n(1e9))
	}
}

func randomJSON(c randfill.Continue, values []string) []byte {
	if c.Intn(4) == 0 {
		return nil
	}
	return []byte(pick(c, values))
}
