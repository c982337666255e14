import { type Compared, type Comparison, compareResults, type Reasons } from './comparison.ts';
import { NEEDS_CONTAINERS } from './selection.ts';
import type { SpecResult } from './suite-run.ts';

interface DocumentInput {
  readonly kubernetes: string;
  readonly withManager: Comparison;
  /** The run without kube-controller-manager, when there was one. */
  readonly alone: readonly SpecResult[] | undefined;
  readonly aloneReasons: Reasons;
  readonly onReal: readonly SpecResult[];
}

const MARK: Readonly<Record<SpecResult['state'], string>> = {
  passed: 'passed',
  failed: 'FAILED',
  skipped: 'skipped',
  'not run': 'not run',
};

/** docs/conformance.md, between its markers. */
export function resultSection(input: DocumentInput): string {
  const { specs } = input.withManager;
  const alone = input.alone && compareResults(input.alone, input.onReal, input.aloneReasons);
  const groups = [...new Set(specs.map(({ group }) => group))].sort();
  const count = (list: readonly Compared[], state: 'here' | 'onReal') =>
    String(list.filter((spec) => spec[state] === 'passed').length);
  const rows = groups.map((group) => {
    const own = specs.filter((spec) => spec.group === group);
    const ownAlone = alone?.specs.filter((spec) => spec.group === group) ?? [];
    return [group, count(own, 'onReal'), count(own, 'here'), alone ? count(ownAlone, 'here') : ''];
  });
  const total = ['all', count(specs, 'onReal'), count(specs, 'here'), alone ? count(alone.specs, 'here') : ''];
  const header = ['group', 'passed on the real server', 'passed here'];
  const columns = alone ? [...header, 'passed here without kube-controller-manager'] : header;
  return [
    `Kubernetes ${input.kubernetes}.`,
    '',
    table(columns, [...rows, total], true),
    '',
    ...differences('Passed on the real server, and not here', specs),
    ...(alone
      ? differences('Passed on the real server, and not here without kube-controller-manager', alone.specs)
      : []),
    '### Every spec',
    '',
    table(
      ['spec', 'real server', 'here', ...(alone ? ['here, alone'] : [])],
      specs.map((spec) => {
        const own = alone?.specs.find(({ name }) => name === spec.name);
        const states = [MARK[spec.onReal], MARK[spec.here], ...(own ? [MARK[own.here]] : [])];
        return [cell(spec.name.replace(' [Conformance]', '')), ...states];
      }),
    ),
    '',
    '### Not run: they need containers',
    '',
    table(
      ['specs', 'why'],
      Object.entries(NEEDS_CONTAINERS).map(([name, why]) => [name, why]),
    ),
  ].join('\n');
}

function differences(title: string, specs: readonly Compared[]): string[] {
  const worse = specs.filter(({ here, onReal }) => onReal === 'passed' && here !== 'passed');
  if (worse.length === 0) return [`${title}: none.`, ''];
  const rows = worse.map(({ name, reason }) => [cell(name.replace(' [Conformance]', '')), reason || 'UNKNOWN']);
  return [`### ${title}`, '', table(['spec', 'why'], rows), ''];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function table(header: readonly string[], rows: readonly (readonly string[])[], numbers = false): string {
  const rule = header.map((_, index) => (numbers && index > 0 ? '---:' : '---'));
  return [header, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
