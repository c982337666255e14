import type { Mutant } from './mutant.ts';

const SAFETY = 'src/inspector/inspector-safety.test.ts';
const PAGES = 'src/inspector/pages.test.ts';
const REDACTION = 'src/inspector/redaction.test.ts';
const ROWS = 'src/inspector/object-rows.test.ts';
const RECORDER = 'src/inspector/recorder.test.ts';

export const INSPECTOR_MUTANTS: readonly Mutant[] = [
  {
    bug: 'the status of a Secret is shown',
    file: 'src/inspector/redaction.ts',
    original: '(OPEN_FIELDS.has(key) && !isSecret(kind) && !claimsSecret(object))',
    replacement: 'OPEN_FIELDS.has(key)',
    tests: [REDACTION],
  },
  {
    bug: 'environment values are hidden in one spelling alone',
    file: 'src/inspector/redaction.ts',
    original: 'environmentvariables|extraenv)$/i',
    replacement: 'environmentvariables|extraenv)$/',
    tests: [REDACTION],
  },
  {
    bug: 'a page may sort by annotations',
    file: 'src/inspector/redaction.ts',
    original: "if (first === 'metadata') return METADATA.some((field) => field === second);",
    replacement: "if (first === 'metadata') return true;",
    tests: [REDACTION],
  },
  {
    bug: 'an origin that begins as the own one is let in',
    file: 'src/inspector/request-guard.ts',
    original: '!this.#origins.has(origin)',
    replacement: '![...this.#origins].some((own) => origin.startsWith(own))',
    tests: [SAFETY],
  },
  {
    bug: 'of two Hosts the first one counts',
    file: 'src/inspector/request-guard.ts',
    original: "countOf(rawHeaders, 'host') !== 1 || ",
    replacement: '',
    tests: [SAFETY],
  },
  {
    bug: 'of several cookies the last one counts',
    file: 'src/inspector/sessions.ts',
    original: 'values.length === 1 ? values[0] : undefined',
    replacement: 'values.at(-1)',
    tests: [SAFETY],
  },
  {
    bug: 'sessions are never forgotten',
    file: 'src/inspector/sessions.ts',
    original: '      this.#secrets.delete(oldest);\n',
    replacement: '',
    tests: [SAFETY],
  },
  {
    bug: 'the cookie is sent to all of the machine',
    file: 'src/inspector/sessions.ts',
    original: `; Path=$\{base}; HttpOnly`,
    replacement: '; Path=/; HttpOnly',
    tests: [SAFETY],
  },
  {
    bug: 'a ninth page is let in',
    file: 'src/inspector/inspector-content.ts',
    original: 'const MAX_PAGES = 8;',
    replacement: 'const MAX_PAGES = 9;',
    tests: [PAGES],
  },
  {
    bug: 'a page that does not read is never cut off',
    file: 'src/inspector/page-feed.ts',
    original: 'unread > MAX_UNREAD_BYTES || this.#lateTicks > MAX_LATE_TICKS',
    replacement: 'unread < 0',
    tests: [PAGES],
  },
  {
    bug: 'the last page that closes leaves its subscriptions',
    file: 'src/inspector/inspector-content.ts',
    original: '    this.#session?.recorder.stop();\n',
    replacement: '',
    tests: [PAGES],
  },
  {
    bug: 'a ring gives what it has long lost',
    file: 'src/inspector/ring.ts',
    original: 'Math.max(seen, this.#count - this.#values.length)',
    replacement: 'seen',
    tests: [RECORDER],
  },
  {
    bug: 'each write shows as a change of the version',
    file: 'src/inspector/object-difference.ts',
    original: 'a === b || NOISE.has(path)',
    replacement: 'a === b',
    tests: [ROWS],
  },
  {
    bug: 'numbers of a column are sorted as text',
    file: 'src/inspector/object-rows.ts',
    original: "return Number.isFinite(number) && text.trim() !== '' ? number : text;",
    replacement: 'return Number.isNaN(number) ? number : text;',
    tests: [ROWS],
  },
  {
    bug: 'bytes of a watch that began before the page are not counted',
    file: 'src/reflector/frame-stream.ts',
    original: 'arrived.bytes = isHeard ? arrived.bytes + count : 0;',
    replacement: 'arrived.bytes = 0;',
    tests: [RECORDER],
  },
  {
    bug: 'an object that is looked at makes room for others',
    file: 'src/inspector/change-book.ts',
    original: 'if (this.#looks.size === 0) return;',
    replacement: 'if (this.#looks.size >= 0) return;',
    tests: [RECORDER],
  },
  {
    bug: 'an object that nobody asks for any more is followed forever',
    file: 'src/inspector/change-book.ts',
    original: 'looks.size <= MAX_LOOKS && nowMs - askedMs <= LOOK_MS',
    replacement: 'looks.size <= MAX_LOOKS',
    tests: [RECORDER],
  },
  {
    bug: 'every object that was ever asked for is followed',
    file: 'src/inspector/change-book.ts',
    original: 'looks.size <= MAX_LOOKS && nowMs - askedMs <= LOOK_MS',
    replacement: 'nowMs - askedMs <= LOOK_MS',
    tests: [RECORDER],
  },
  {
    bug: 'a change is compared with the state before another one',
    file: 'src/inspector/change-book.ts',
    original: 'row >= rows.count - MAX_STATES ? this.#before[row % MAX_STATES] : undefined',
    replacement: 'this.#before[row % MAX_STATES]',
    tests: [RECORDER],
  },
  {
    bug: 'a change is compared with the present state instead of the next one',
    file: 'src/inspector/object-history.ts',
    original: 'after?.resourceVersion === change.version ? after : undefined',
    replacement: 'present',
    tests: [RECORDER],
  },
];
