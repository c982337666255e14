import type { Reduction } from '../../api/origin.ts';
import { type FieldFilterOptions, IDENTITY, segmentsOf } from './field-filter.ts';

/** What servers restore by themselves (managed fields), and what is never left out. */
const HARMLESS: ReadonlySet<string> = new Set(
  [['kind'], ['apiVersion'], ...['managedFields', ...IDENTITY].map((field) => ['metadata', field])].map((path) =>
    path.join('/'),
  ),
);

/** What the options leave out of objects that an update would then delete; undefined when that is nothing. */
export function reductionBy({ drop = [], keep }: FieldFilterOptions): Reduction | undefined {
  const dropped = drop.filter((path) => !HARMLESS.has(segmentsOf(path).join('/')));
  const kept = keep?.map((path) => segmentsOf(path).join('/'));
  const isPartial = kept !== undefined && !kept.includes('*');
  if (!isPartial && dropped.length === 0) return undefined;
  const parts = [
    ...(isPartial ? [keep?.length ? `keeps only ${keep.join(', ')}` : 'keeps only the identity of an object'] : []),
    ...(dropped.length > 0 ? [`leaves out ${dropped.join(', ')}`] : []),
  ];
  return {
    what: parts.join(' and '),
    concernsStatus:
      (isPartial && !(kept.includes('status') && kept.includes('metadata'))) ||
      dropped.some((path) => ['status', 'metadata', '*'].includes(segmentsOf(path)[0] ?? '')),
  };
}

/** The same for what a transform returns: nobody knows what it leaves out. */
export function reductionByTransform(reduction?: Reduction): Reduction {
  const what = 'has a transform, which may leave out anything';
  return { what: reduction ? `${reduction.what}, and ${what}` : what, concernsStatus: true };
}
