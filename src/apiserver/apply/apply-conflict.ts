import type { StatusCause } from '../../api/status.ts';
import { StatusError } from '../request/status-error.ts';
import { quote } from './go-value.ts';
import { compareText, type ManagerEntry } from './managers.ts';
import { type PathElement, pathText } from './path-element.ts';

/** One field that somebody else owns with another value. */
export interface FieldConflict {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** `.spec.replicas`, `.spec.containers[name="web"].image` */
  readonly field: string;
}

/** Refuses an apply that is not forced: the 409 with a cause for each field. */
export class ApplyConflict extends StatusError {
  constructor(conflicts: readonly FieldConflict[]) {
    const causes: StatusCause[] = conflicts.map((conflict) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(conflict)}`,
      field: conflict.field,
    }));
    super({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: messageOf(conflicts),
      reason: 'Conflict',
      details: { causes },
      code: 409,
    });
  }
}

export function conflictAt(entry: ManagerEntry, path: readonly PathElement[]): FieldConflict {
  const { manager, operation, apiVersion, subresource } = entry;
  return { manager, operation, apiVersion, subresource, field: pathText(path) };
}

function messageOf(conflicts: readonly FieldConflict[]): string {
  const [first] = conflicts;
  if (first && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${managerText(first)}: ${first.field}`;
  }
  const byManager = new Map<string, string[]>();
  for (const conflict of conflicts) {
    const head = `conflicts with ${managerText(conflict)}:`;
    const lines = byManager.get(head) ?? [];
    lines.push(`- ${conflict.field}`);
    byManager.set(head, lines);
  }
  const lines = [...byManager].flatMap(([head, fields]) => [head, ...fields]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: FieldConflict): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

/** The order in which a message lists managers. */
export function sortedIds(ids: Iterable<string>): string[] {
  return [...ids].sort(compareText);
}
