/** What becomes of a response after which the server closes the connection. */
export type Outcome =
  /** It is whole, with this body. */
  | { readonly body: string }
  /** It is refused, after this much of its body. */
  | { readonly malformed: string }
  /** It broke off, after this much of its body. */
  | { readonly cut: string };

export interface HostileResponse {
  readonly name: string;
  /** Latin-1. */
  readonly bytes: string;
  readonly method: 'GET' | 'HEAD';
  readonly expected: Outcome;
}

const REFUSED: Outcome = { malformed: '' };
const CUT: Outcome = { cut: '' };

const chunked = (rest: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${rest}`;
const sized = (length: string, rest: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${rest}`;
const withHeader = (line: string) => `HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`;
const withStatusLine = (line: string) => `${line}\r\nContent-Length: 2\r\n\r\nok`;
const OK: Outcome = { body: 'ok' };

type Row = readonly [name: string, bytes: string, expected: Outcome, method?: 'HEAD'];

const STATUS_LINES: Row[] = [
  ['nothing at all', '', CUT],
  ['an empty line', '\r\n', REFUSED],
  ['an empty line before the status line', '\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', REFUSED],
  ['half of a status line', 'HTTP/1.1 2', CUT],
  ['a status line alone', 'HTTP/1.1 200 OK\r\n', CUT],
  ['a plain status line', withStatusLine('HTTP/1.1 200 OK'), OK],
  ['no reason phrase', withStatusLine('HTTP/1.1 200'), OK],
  ['an empty reason phrase', withStatusLine('HTTP/1.1 200 '), OK],
  ['a reason phrase beyond ASCII', withStatusLine('HTTP/1.1 200 \xc3\xa9'), OK],
  ['a reason phrase with a tab', withStatusLine('HTTP/1.1 200 a\tb'), OK],
  ['a reason phrase with a control character', withStatusLine('HTTP/1.1 200 a\x01b'), REFUSED],
  ['a reason phrase with NUL', withStatusLine('HTTP/1.1 200 a\0b'), REFUSED],
  ['a reason phrase with CR', withStatusLine('HTTP/1.1 200 a\rb'), REFUSED],
  ['HTTP/1.0', withStatusLine('HTTP/1.0 200 OK'), OK],
  ['HTTP/0.9', withStatusLine('HTTP/0.9 200 OK'), REFUSED],
  ['HTTP/1.2', withStatusLine('HTTP/1.2 200 OK'), REFUSED],
  ['HTTP/2.0', withStatusLine('HTTP/2.0 200 OK'), REFUSED],
  ['HTTP/11', withStatusLine('HTTP/11 200 OK'), REFUSED],
  ['HTTP/1.10', withStatusLine('HTTP/1.10 200 OK'), REFUSED],
  ['a protocol in lower case', withStatusLine('http/1.1 200 OK'), REFUSED],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', REFUSED],
  ['another protocol without a line', '\x15\x03\x01\0\x02\x02F', REFUSED],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', REFUSED],
  ['a request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', REFUSED],
  ['two blanks before the status', withStatusLine('HTTP/1.1  200 OK'), REFUSED],
  ['a tab before the status', withStatusLine('HTTP/1.1\t200 OK'), REFUSED],
  ['a blank before the protocol', withStatusLine(' HTTP/1.1 200 OK'), REFUSED],
  ['a status of two digits', withStatusLine('HTTP/1.1 20 OK'), REFUSED],
  ['a status of four digits', withStatusLine('HTTP/1.1 2000 OK'), REFUSED],
  ['a status below 100', withStatusLine('HTTP/1.1 099 OK'), REFUSED],
  ['a status of letters', withStatusLine('HTTP/1.1 2OO OK'), REFUSED],
  ['a negative status', withStatusLine('HTTP/1.1 -20 OK'), REFUSED],
  ['a status beyond 599', withStatusLine('HTTP/1.1 999 OK'), OK],
  ['a status line that ends in LF', 'HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok', REFUSED],
  ['a status line that ends in CR', 'HTTP/1.1 200 OK\rContent-Length: 2\r\n\r\nok', REFUSED],
  ['a status line without end', `HTTP/1.1 200 ${'x'.repeat(70_000)}`, REFUSED],
  ['a switch to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n', REFUSED],
];

const HEADERS: Row[] = [
  ['a header without colon', withHeader('no colon'), REFUSED],
  ['a header without name', withHeader(': x'), REFUSED],
  ['a header without value', withHeader('x:'), OK],
  ['a header without blank', withHeader('x:y'), OK],
  ['a header with blanks around its value', withHeader('x: \t y \t '), OK],
  ['a header with a blank before its colon', withHeader('x : y'), REFUSED],
  ['a header with a blank in its name', withHeader('x y: z'), REFUSED],
  ['a header with a blank before its name', withHeader(' x: y'), REFUSED],
  ['a folded header', withHeader('x: y\r\n z'), REFUSED],
  ['a header folded by a tab', withHeader('x: y\r\n\tz'), REFUSED],
  ['a header with NUL in its value', withHeader('x: a\0b'), REFUSED],
  ['a header with NUL in its name', withHeader('x\0: b'), REFUSED],
  ['a header with a control character', withHeader('x: a\x08b'), REFUSED],
  ['a header with DEL', withHeader('x: a\x7fb'), REFUSED],
  ['a header with CR in its value', withHeader('x: a\rb'), REFUSED],
  ['a header with an injected line', withHeader('x: a\r\nContent-Length: 5'), REFUSED],
  ['a header that ends in LF', withHeader('x: y\nz: w'), REFUSED],
  ['a header that ends in two CR', withHeader('x: y\r'), REFUSED],
  ['a header beyond ASCII', withHeader('x: \xe2\x82\xac'), OK],
  ['a header name beyond ASCII', withHeader('\xe9: y'), REFUSED],
  ['a header name in brackets', withHeader('(x): y'), REFUSED],
  ['a header name of odd characters', withHeader("!#$%&'*+-.^_`|~: y"), OK],
  ['a header named like a property', withHeader('__proto__: y\r\nconstructor: z'), OK],
  ['nine hundred headers', withHeader(Array.from({ length: 900 }, (_, i) => `x-${i}: ${i}`).join('\r\n')), OK],
  ['headers beyond 64 KiB', withHeader(`x: ${'y'.repeat(70_000)}`), REFUSED],
  ['many headers beyond 64 KiB', withHeader('x: y\r\n'.repeat(12_000).trim()), REFUSED],
  ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(12_000)}`, REFUSED],
  ['a head that ends in LF', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nok', REFUSED],
  ['a head that ends in CR', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\rok', CUT],
  ['a head that is cut', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n', CUT],
  ['a head that is cut in its last line', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r', CUT],
];

const LENGTHS: Row[] = [
  ['a length that fits', sized('2', 'ok'), OK],
  ['a length of zero', sized('0', ''), { body: '' }],
  ['a length with zeros before it', sized('0002', 'ok'), OK],
  ['a length with more bytes after it', sized('2', 'okHTTP/1.1 200 OK\r\n\r\n'), OK],
  ['a length that is not reached', sized('5', 'ok'), { cut: 'ok' }],
  ['a length of which nothing comes', sized('5', ''), CUT],
  ['a length with a plus', sized('+2', 'ok'), REFUSED],
  ['a negative length', sized('-2', 'ok'), REFUSED],
  ['a length in hex', sized('0x2', 'ok'), REFUSED],
  ['a length with a point', sized('2.0', 'ok'), REFUSED],
  ['a length with an exponent', sized('2e0', 'ok'), REFUSED],
  ['a length with a blank inside', sized('2 2', 'ok'), REFUSED],
  ['an empty length', sized('', 'ok'), REFUSED],
  ['a length of letters', sized('two', 'ok'), REFUSED],
  ['a length beyond 2^53', sized('9007199254740993', 'ok'), REFUSED],
  ['a length beyond 2^64', sized('18446744073709551618', 'ok'), REFUSED],
  ['two equal lengths', sized('2\r\nContent-Length: 2', 'ok'), OK],
  ['two equal lengths in one line', sized('2, 2', 'ok'), OK],
  ['two different lengths', sized('2\r\nContent-Length: 5', 'ok'), REFUSED],
  ['two different lengths in one line', sized('2, 5', 'ok'), REFUSED],
  ['a list of lengths with a gap', sized('2,', 'ok'), REFUSED],
  ['no length, to the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nall of it', { body: 'all of it' }],
  ['no length in HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nall of it', { body: 'all of it' }],
  ['no length and no body', 'HTTP/1.1 200 OK\r\n\r\n', { body: '' }],
  ['a 204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', { body: '' }],
  ['a 304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n', { body: '' }],
  [
    'a 204 with chunks',
    'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    { body: '' },
  ],
  ['an answer to HEAD with a length', sized('2', ''), { body: '' }, 'HEAD'],
  ['an answer to HEAD with a body', sized('2', 'ok'), { body: '' }, 'HEAD'],
  ['an answer to HEAD with chunks', chunked(''), { body: '' }, 'HEAD'],
  ['an answer to HEAD with a bad length', sized('x', ''), REFUSED, 'HEAD'],
];

const CHUNKS: Row[] = [
  ['chunks', chunked('2\r\nok\r\n0\r\n\r\n'), OK],
  ['chunks, then another response', chunked('2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'), OK],
  ['no chunk but the last', chunked('0\r\n\r\n'), { body: '' }],
  ['a last chunk of many zeros', chunked('2\r\nok\r\n0000\r\n\r\n'), OK],
  ['a size in capital letters', chunked('A\r\n0123456789\r\n0\r\n\r\n'), { body: '0123456789' }],
  ['a size with zeros before it', chunked('0000002\r\nok\r\n0\r\n\r\n'), OK],
  ['a size of a thousand zeros', chunked(`${'0'.repeat(2000)}2\r\nok\r\n0\r\n\r\n`), REFUSED],
  ['an empty size', chunked('\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a negative size', chunked('-2\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a size with a plus', chunked('+2\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a size with 0x', chunked('0x2\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a size of other letters', chunked('2g\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a blank before a size', chunked(' 2\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a blank after a size', chunked('2 \r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a tab after a size', chunked('2\t\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a size beyond 2^53', chunked('20000000000001\r\nok'), REFUSED],
  ['a size beyond 2^64', chunked('10000000000000002\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['a size that ends in LF', chunked('2\nok\r\n0\r\n\r\n'), REFUSED],
  ['a size that ends in CR', chunked('2\rok\r\n0\r\n\r\n'), REFUSED],
  ['an extension', chunked('2;a=b\r\nok\r\n0\r\n\r\n'), OK],
  ['an extension in quotes', chunked('2;a="b;c"\r\nok\r\n0;x\r\n\r\n'), OK],
  ['an extension with a control character', chunked('2;a=\x01\r\nok\r\n0\r\n\r\n'), REFUSED],
  ['an extension with LF', chunked('2;a\nok\r\n0\r\n\r\n'), REFUSED],
  ['an extension without end', chunked(`2;${'a'.repeat(20_000)}\r\nok\r\n0\r\n\r\n`), REFUSED],
  ['a chunk without end of line', chunked('2\r\nok0\r\n\r\n'), { malformed: 'ok' }],
  ['a chunk that ends in LF', chunked('2\r\nok\n0\r\n\r\n'), { malformed: 'ok' }],
  ['a chunk that ends in CR', chunked('2\r\nok\r0\r\n\r\n'), { malformed: 'ok' }],
  ['a chunk longer than its size', chunked('2\r\nokay\r\n0\r\n\r\n'), { malformed: 'ok' }],
  ['a chunk shorter than its size', chunked('4\r\nok\r\n0\r\n\r\n'), { malformed: 'ok\r\n' }],
  ['a chunk that is cut', chunked('5\r\nok'), { cut: 'ok' }],
  ['chunks cut after one', chunked('2\r\nok\r\n'), { cut: 'ok' }],
  ['chunks cut in a size', chunked('2\r\nok\r\n1'), { cut: 'ok' }],
  ['chunks cut in the last one', chunked('2\r\nok\r\n0\r\n'), { cut: 'ok' }],
  ['chunks that never begin', chunked(''), CUT],
];

const TRAILERS: Row[] = [
  ['a trailer', chunked('2\r\nok\r\n0\r\nx: y\r\n\r\n'), OK],
  ['a trailer without colon', chunked('2\r\nok\r\n0\r\nno colon\r\n\r\n'), { malformed: 'ok' }],
  ['a trailer without name', chunked('2\r\nok\r\n0\r\n: y\r\n\r\n'), { malformed: 'ok' }],
  ['a trailer with a blank in its name', chunked('2\r\nok\r\n0\r\nx y: z\r\n\r\n'), { malformed: 'ok' }],
  ['a folded trailer', chunked('2\r\nok\r\n0\r\nx: y\r\n z\r\n\r\n'), { malformed: 'ok' }],
  ['a trailer with NUL', chunked('2\r\nok\r\n0\r\nx: a\0b\r\n\r\n'), { malformed: 'ok' }],
  ['a trailer that ends in LF', chunked('2\r\nok\r\n0\r\nx: y\n\r\n'), { malformed: 'ok' }],
  ['a trailer that is cut', chunked('2\r\nok\r\n0\r\nx: y'), { cut: 'ok' }],
  ['trailers beyond 16 KiB', chunked(`2\r\nok\r\n0\r\n${'x: y\r\n'.repeat(3000)}\r\n`), { malformed: 'ok' }],
  ['a length among the trailers', chunked('2\r\nok\r\n0\r\nContent-Length: 5\r\n\r\n'), { malformed: 'ok' }],
  ['a coding among the trailers', chunked('2\r\nok\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n'), { malformed: 'ok' }],
  ['another response in place of trailers', chunked('2\r\nok\r\n0\r\nHTTP/1.1 200 OK\r\n\r\n'), { malformed: 'ok' }],
];

const both = (a: string, b: string, rest = '2\r\nok\r\n0\r\n\r\n') => `HTTP/1.1 200 OK\r\n${a}\r\n${b}\r\n\r\n${rest}`;

const SMUGGLING: Row[] = [
  ['a length and chunks', both('Content-Length: 2', 'Transfer-Encoding: chunked'), REFUSED],
  ['chunks and a length', both('Transfer-Encoding: chunked', 'Content-Length: 12'), REFUSED],
  ['a length of zero and chunks', both('Content-Length: 0', 'Transfer-Encoding: chunked'), REFUSED],
  ['a length and an unknown coding', both('Content-Length: 2', 'Transfer-Encoding: gzip'), REFUSED],
  ['both, without a body', 'HTTP/1.1 204 X\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n', REFUSED],
  ['chunks in HTTP/1.0', chunked('2\r\nok\r\n0\r\n\r\n').replace('1.1', '1.0'), REFUSED],
  ['chunks twice', both('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), REFUSED],
  ['chunks twice in one line', both('Transfer-Encoding: chunked, chunked', 'x: y'), REFUSED],
  ['chunks not last', both('Transfer-Encoding: chunked, identity', 'x: y'), REFUSED],
  ['chunks inside gzip', both('Transfer-Encoding: gzip, chunked', 'x: y'), REFUSED],
  ['the coding identity', both('Transfer-Encoding: identity', 'x: y', 'ok'), REFUSED],
  ['an unknown coding', both('Transfer-Encoding: xchunked', 'x: y', 'ok'), REFUSED],
  ['an empty coding', both('Transfer-Encoding:', 'x: y', 'ok'), REFUSED],
  ['a coding with a blank inside', both('Transfer-Encoding: chunk ed', 'x: y', 'ok'), REFUSED],
  ['a coding with a parameter', both('Transfer-Encoding: chunked;x=y', 'x: y'), REFUSED],
  ['a coding in capitals', both('Transfer-Encoding: CHUNKED', 'x: y'), OK],
  ['a coding with blanks around it', both('Transfer-Encoding: \t chunked \t', 'x: y'), OK],
  ['a coding behind vertical tab', both('Transfer-Encoding: \x0bchunked', 'x: y'), REFUSED],
  ['a coding in a folded line', both('Transfer-Encoding:\r\n chunked', 'x: y'), REFUSED],
  ['a coding with a blank before its colon', both('Transfer-Encoding : chunked', 'x: y'), REFUSED],
];

const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';

const INTERIMS: Row[] = [
  ['a 100 first', `HTTP/1.1 100 Continue\r\n\r\n${sized('2', 'ok')}`, OK],
  ['several 1xx first', `${INTERIM.repeat(5)}${sized('2', 'ok')}`, OK],
  ['a 1xx with a length', `HTTP/1.1 103 X\r\nContent-Length: 5\r\n\r\n${sized('2', 'ok')}`, OK],
  ['a 1xx that is malformed', `HTTP/1.1 103 X\r\nno colon\r\n\r\n${sized('2', 'ok')}`, REFUSED],
  ['a 1xx and nothing more', INTERIM, CUT],
  ['a flood of 1xx', `${INTERIM.repeat(2000)}${sized('2', 'ok')}`, REFUSED],
  ['a flood of 1xx without end', INTERIM.repeat(5000), REFUSED],
];

/** Responses that are malformed, cut, or meant to be read in two ways, and close relatives of them that are in order. */
export const HOSTILE_RESPONSES: readonly HostileResponse[] = [
  ...STATUS_LINES,
  ...HEADERS,
  ...LENGTHS,
  ...CHUNKS,
  ...TRAILERS,
  ...SMUGGLING,
  ...INTERIMS,
].map(([name, bytes, expected, method]) => ({ name, bytes, expected, method: method ?? 'GET' }));

const STRICT_PROTOCOL = 'Node takes versions that no HTTP/1.1 server sends; here a response is HTTP/1.0 or 1.1';
const STRICT_CODING =
  'Node takes other codings, or an end that depends on who reads them; here a body is in chunks or it is not';
const NO_BODY =
  'Node fails a response without a body for what comes after it; here it is whole, and its connection is closed';

/**
 * Where our parser and Node's come to different ends, and why ours is meant to. On Node 20 each of these is a difference; later versions
 * of Node may have become as strict. Everything that is not listed ends in the same way in both, to the byte.
 */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  'an empty line': 'Node skips empty lines before a response; a server that sends one has lost count of its messages',
  'an empty line before the status line': 'the same',
  'a reason phrase with a control character':
    'Node does not look at the phrase; RFC 9112 allows no control characters in it',
  'a reason phrase with NUL': 'the same',
  'HTTP/0.9': STRICT_PROTOCOL,
  'HTTP/2.0': STRICT_PROTOCOL,
  'a status below 100': 'Node takes any three digits; a status begins with 1 to 9',
  'a switch to another protocol': 'we never ask for one, so whoever answers so means somebody else',
  'many headers beyond 64 KiB': 'Node counts names and values alone; here every byte of the head counts',
  'headers without end': 'the same',
  'a head that ends in CR': 'Node looks at the byte after the CR; here a line is looked at when it is whole',
  'a length beyond 2^53': 'a number cannot hold it; Node reads on, and would lose count',
  'two equal lengths': 'RFC 9110 §8.6 lets equal lengths count as one, as Go does',
  'two equal lengths in one line': 'the same',
  'a 204 with a length': NO_BODY,
  'a 204 with chunks': NO_BODY,
  'an answer to HEAD with a body': NO_BODY,
  'a size of a thousand zeros': 'Node counts nothing; here the line of a chunk has a limit',
  'a size beyond 2^53': 'a number cannot hold it; Node reads on, and would lose count',
  'trailers beyond 16 KiB': 'Node counts them against its own limit for heads; here trailers have one of their own',
  'a coding among the trailers': 'Node drops it; what says where a body ends cannot come after it',
  'chunks in HTTP/1.0': 'HTTP/1.0 does not know them: somebody on the way may take the sizes for the body',
  'chunks twice': STRICT_CODING,
  'chunks twice in one line': STRICT_CODING,
  'chunks not last': STRICT_CODING,
  'chunks inside gzip': STRICT_CODING,
  'the coding identity': STRICT_CODING,
  'an unknown coding': STRICT_CODING,
  'an empty coding': STRICT_CODING,
  'a coding with a blank inside': STRICT_CODING,
  'a coding with a parameter': STRICT_CODING,
  'a coding with blanks around it': 'Node takes a tab after the value for a part of it; RFC 9110 §5.6.3 does not',
  'a flood of 1xx': 'Node reads interim responses forever; here all heads together have one limit',
  'a flood of 1xx without end': 'the same',
};
