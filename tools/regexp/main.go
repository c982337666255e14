// Prints what Go's regexp package makes of patterns: one line of JSON a pattern, with the error of one that it refuses, else
// with what it finds in some texts. The first patterns are written here, the others are made at random.
//
//	go run . -seed 1 -count 400
package main

import (
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"regexp"
	"strings"
)

type result struct {
	Pattern string `json:"pattern"`
	Error   string `json:"error,omitempty"`
	// All matches in each text.
	Texts map[string][]string `json:"texts,omitempty"`
}

var texts = []string{
	"", "a", "b", "ab", "ba", "aab", "abab", "aaa", "AB", "aB", "abc abc", "a\nb", "\n", "b\n", "a1_b-2", "é", "ÉÀ", "k\u212a", "sſS",
	"ßẞ", "a😀b", "日本語", "foo.bar", "x{2}", "]-[", "\\d", "  a  ", "αβγ ΑΒΓς", "0123456789", "\t\r\n\f\v ", "İıIi", "ǅǆǄ", "aaaaaaaaaaaaaaaaaaaa",
}

var written = []string{
	``, `a`, `a|b`, `a|ab`, `ab|a`, `(a|ab)(c|bcd)?`, `a*`, `a+?`, `a??b`, `a{2}`, `a{2,}`, `a{0,1}`, `a{1,2}?`, `a{,2}`, `a{02}`, `a{1`, `a{1,2`, `x{2}`,
	`(a*)*`, `(a*)+`, `(a|b)*?`, `(a?)*b`, `(|a)*`, `(|a)+`, `(a|)+`, `(?:a|b|)*`, `((a*)*)*b`, `(a{0,2}){0,3}`, `(a{2}){3}`, `a{0}`, `(ab){0}b`,
	`^a`, `a$`, `^$`, `^`, `$`, `\Aa`, `a\z`, `\ba`, `a\b`, `\Ba`, `a\B`, `\b`, `\B`, `(?m)^b`, `(?m)a$`, `(?m)^$`, `(?m)^`, `(?-m)^b`, `a^b`, `a$b`, `(^a|b)`, `(?:^a)+`,
	`.`, `(?s).`, `..`, `(?s)a.b`, `a.b`, `.*`, `.+?`, `(?U)a+`, `(?U)a+?b`, `(?i)AB`, `(?i)k`, `(?i)s`, `(?i)ß`, `(?i)σ`, `(?i)i`, `(?i)ı`, `(?i)ǆ`, `(?i)[a-z]+`, `(?i)[^a]`, `(?i)[K]`,
	`(?i)\w+`, `(?i)\W`, `(?i)[[:upper:]]+`, `(?i)\p{Lu}+`, `(?i)\P{Lu}`, `(?i:a)b`, `a(?i)b`, `(?i)a(?-i)b`, `(?i-s)A.`, `(?is)a.b`, `((?i)a)b`, `(?:(?i)a)B|c`,
	`[abc]+`, `[^abc]+`, `[a-c1-9]`, `[]a]`, `[^]a]`, `[a-]`, `[-a]`, `[a\-z]`, `[\d_]+`, `[\w-]+`, `[^\d]+`, `[\s\S]`, `[\x41-\x{43}]`, `[[:alpha:]]+`, `[[:^alpha:]]+`, `[[:word:][:punct:]]`,
	`[[:space:]]`, `[[:cntrl:]]`, `[[:digit:]a]+`, `[[:foo:]]`, `[[:alpha]`, `[[:alpha:`, `[:alpha:]`, `[a`, `[`, `[]`, `[^]`, `[z-a]`, `[a-\d]`, `[\d-z]`, `[a-b-c]`, `[\pL]`, `[\p{Greek}a]`, `[^\PL]`, `[^\x00-\x{10FFFF}]`, `[\Q]\E]`,
	`\d+`, `\D+`, `\w+`, `\W+`, `\s+`, `\S+`, `\pL+`, `\p{L}+`, `\p{Lu}`, `\P{L}`, `\p{^L}`, `\P{^L}`, `\p{Greek}+`, `\p{greek}`, `\p{Letter}`, `\p{Uppercase_Letter}`, `\p{Han}`, `\p{Any}`, `\p{ASCII}+`, `\p{Grek}`, `\p{Old_Italic}`,
	`\p{Foo}`, `\p{`, `\p`, `\pX`, `\p{}`, `\pN`, `\p{Nd}+`, `\p{Thai}`, `\p{Assigned}`, `\p{LC}`,
	`\.`, `foo\.bar`, `\n`, `\t`, `\a`, `\f`, `\r`, `\v`, `\x41`, `\x{1F600}`, `\x`, `\x4`, `\xzz`, `\x{}`, `\x{110000}`, `\x{41`, `\012`, `\07`, `\1`, `\18`, `\101`, `\0`, `\8`, `\Qa.b\E`, `\Qa.b`, `\Qa\E+`, `\Q\E`, `\E`, `\C`, `\y`, `\Z`, `\é`, `\_`, `\-`, `\\`, `\\d`, `\`,
	`(`, `)`, `(a`, `a)`, `()`, `(?:)`, `(?:a`, `(?`, `(?)`, `(?i`, `(?i)`, `(?-i)a`, `(?-)`, `(?i-)a`, `(?i-i)A`, `(?--i)`, `(?z)`, `(?i:`, `(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(?>a)`, `(?#a)`, `(?P<n>a)`, `(?<n>a)`, `(?P<n`, `(?P<>a)`, `(?P<n-m>a)`, `(?P=n)`, `(?P>n)`, `(?P`, `(?<`, `(?<n`, `(?P<n>a)(?P<m>b)`, `(?P<n>a)(?P<n>b)`,
	`*`, `+`, `?`, `a**`, `a*+`, `a++`, `a+*`, `a??`, `a???`, `a*??`, `a{2}*`, `a{2}{3}`, `a{2}?`, `a{2}??`, `(*)`, `(a|*)`, `|*`, `^*`, `$+`, `\b+`, `(?i)*`, `a|*`, `|a`, `a|`, `||`, `(|a|)`,
	`a{1000}`, `a{1001}`, `a{1,1001}`, `a{2,1}`, `(a{10}){100}`, `(a{10}){101}`, `((a{10}){10}){11}`, `(a{0,32}){32}`, `(a*){1000}`, `(a{1000}){0}`, `((a{1000}){0}){1000}`, `(a{500,}){2}`, `(a{500,}){3}`, `a{99999999999}`, `{`, `{2}`, `{a}`, `}`, `a}`, `x{2}{`,
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, `^(\d+)\.(\d+)$`, `^[^/]+/[^/]+$`, `(a+)+$`, `(a|a)*b`, `(.*)*x`, `(?:a|ab)(?:c|bcd)(?:d*)`, `^(?:a|ab|abc)$`, `é+`, `[é-ü]`, `😀`, `[😀-😎]`, `a😀?b`, `日|本`, `\x{FFFD}`, `a,b`, `(?m)(?i)^B`,
}

func main() {
	seed := flag.Int64("seed", 1, "the same seed gives the same patterns")
	count := flag.Int("count", 400, "random patterns")
	flag.Parse()
	random := rand.New(rand.NewSource(*seed))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, pattern := range written {
		out.Encode(judge(pattern, texts))
	}
	out.Encode(judge(strings.Repeat("(", 999)+strings.Repeat(")", 999), texts[:2]))
	out.Encode(judge(strings.Repeat("(", 1000)+strings.Repeat(")", 1000), nil))
	out.Encode(judge(strings.Repeat("(xx?){1000}", 2000), nil))
	for range *count {
		out.Encode(judge(made(random, 3), someTexts(random)))
	}
}

func judge(pattern string, texts []string) result {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return result{Pattern: pattern, Error: err.Error()}
	}
	judged := result{Pattern: pattern, Texts: map[string][]string{}}
	for _, text := range texts {
		judged.Texts[text] = append([]string{}, expression.FindAllString(text, -1)...)
	}
	return judged
}

var atoms = []string{"a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", `\w`, `\b`, `\B`, "^", "$", "é", `\W`, "(?i)b", "(?s).", "(?m)^", "(?m)$", "K", `\d`, "-", `\pL`, ""}
var repeats = []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}", "", "", ""}

func made(random *rand.Rand, depth int) string {
	if depth == 0 || random.Intn(5) == 0 {
		return atoms[random.Intn(len(atoms))]
	}
	var pattern strings.Builder
	for range 1 + random.Intn(3) {
		switch random.Intn(4) {
		case 0:
			pattern.WriteString("(" + made(random, depth-1) + "|" + made(random, depth-1) + ")")
		case 1:
			pattern.WriteString("(?:" + made(random, depth-1) + ")")
		default:
			pattern.WriteString(made(random, depth-1))
		}
		pattern.WriteString(repeats[random.Intn(len(repeats))])
	}
	return pattern.String()
}

func someTexts(random *rand.Rand) []string {
	letters := []rune("aaabbcAKkB\n -é1\u212a")
	made := make([]string, 4)
	for index := range made {
		text := make([]rune, random.Intn(9))
		for at := range text {
			text[at] = letters[random.Intn(len(letters))]
		}
		made[index] = string(text)
	}
	return made
}
