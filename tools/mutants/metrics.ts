import type { Mutant } from './mutant.ts';

const RUN = 'src/metrics/scripted-run.test.ts';
const ADAPTERS = 'src/metrics/metrics.test.ts';
const STORY = 'src/informer/store-story.test.ts';

export const METRICS_MUTANTS: readonly Mutant[] = [
  {
    bug: 'the buckets of a histogram are not added up',
    file: 'src/metrics/prometheus-metrics.ts',
    original: 'count += counts[index] ?? 0;',
    replacement: 'count = counts[index] ?? 0;',
    tests: [RUN],
  },
  {
    bug: 'a metric that exists with other labels is taken as the same',
    file: 'src/metrics/prometheus-metrics.ts',
    original: 'this.#type === other.#type && String(this.labelNames) === String(other.labelNames)',
    replacement: 'this.#type === other.#type',
    tests: [ADAPTERS],
  },
  {
    bug: 'bounds are not written as Go writes them',
    file: 'src/metrics/prometheus-metrics.ts',
    original: ".padStart(2, '0')",
    replacement: '',
    tests: [ADAPTERS],
  },
  {
    bug: 'a series that was removed stays',
    file: 'src/metrics/series-table.ts',
    original: 'this.#byKey.delete(this.#keyOf(labels));',
    replacement: '',
    tests: [RUN],
  },
  {
    bug: 'a counter of OpenTelemetry forgets what it had',
    file: 'src/metrics/open-telemetry-metrics.ts',
    original: 'table.of(labels).value += value;',
    replacement: 'table.of(labels).value = value;',
    tests: [RUN],
  },
  {
    bug: 'the series of what has ended are not removed',
    file: 'src/observe/metric-scope.ts',
    original: '        remove();\n',
    replacement: '',
    tests: [RUN],
  },
  {
    bug: 'watches count as requests that took long',
    file: 'src/observe/request-meter.ts',
    original: 'if (!isOpenEnded) this.#seconds',
    replacement: 'this.#seconds',
    tests: [RUN],
  },
  {
    bug: 'what a list brought is said to have come by an earlier watch',
    file: 'src/informer/store-story.ts',
    original: "if (isNext || change.type === 'LIST') {",
    replacement: 'if (isNext) {',
    tests: [STORY],
  },
  {
    bug: 'what a batch brought while others were queued is said to have come with those',
    file: 'src/informer/store-story.ts',
    original: 'this.#later.set(change.object.key, current);',
    replacement: '{}',
    tests: [STORY],
  },
  {
    bug: 'what came later, and is stored, stays the origin of what comes next',
    file: 'src/informer/store-story.ts',
    original: '    if (this.#later.size > 0) this.#later.clear();\n',
    replacement: '',
    tests: [STORY],
  },
  {
    bug: 'what came while nobody listened is said to have come by an earlier batch',
    file: 'src/informer/informer-part.ts',
    original: '    else this.#story = undefined;\n',
    replacement: '',
    tests: [ADAPTERS],
  },
  {
    bug: 'a subscriber that throws reaches the pipeline',
    file: 'src/observe/channels.ts',
    original: 'guardedFunction(subscriber, warnOnce(`A subscriber of ${name}`))',
    replacement: '(value, of) => subscriber(value, of)',
    tests: [ADAPTERS],
  },
];
