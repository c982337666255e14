import { type Ask, askJson } from './discovery.ts';
import { HEADER } from './sources.ts';

/** A role or a binding that every new cluster has, as a server lists it. */
export interface DefaultRole {
  /** `clusterroles` */
  plural: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  rules?: Partial<Record<'verbs' | 'apiGroups' | 'resources' | 'resourceNames' | 'nonResourceURLs', string[]>>[] | null;
  aggregationRule?: { clusterRoleSelectors?: { matchLabels?: Record<string, string> }[] };
  roleRef?: { kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string }[];
}

const PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
const BOOTSTRAPPING = 'kubernetes.io/bootstrapping';
const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** All that a new server has made. */
export async function readDefaultRoles(ask: Ask): Promise<DefaultRole[]> {
  const found: DefaultRole[] = [];
  for (const plural of PLURALS) {
    const path = `/apis/rbac.authorization.k8s.io/v1/${plural}`;
    const { items } = await askJson<{ items: DefaultRole[] }>(ask, path);
    found.push(...items.map((item) => ({ ...item, plural })));
  }
  return found;
}

/** The file that `src/generated/default-roles.ts` reads; that one describes the notation. */
export function defaultRoleTable(roles: readonly DefaultRole[]): string {
  const text = roles.map((role) => [headLine(role), ...(role.rules ?? []).map(ruleLine)].join('\n')).join('\n');
  if (/[`\\$]/.test(text)) throw new Error('the default roles clash with the notation');
  return `${HEADER}\nexport const defaultRoleLines = \`${text}\`;\n`;
}

function headLine({ plural, metadata, aggregationRule, roleRef, subjects = [] }: DefaultRole): string {
  const { name, namespace = '', labels = {}, annotations = {} } = metadata;
  const { [BOOTSTRAPPING]: bootstrapping, ...others } = labels;
  if (bootstrapping !== 'rbac-defaults' || annotations[AUTOUPDATE] !== 'true' || Object.keys(annotations).length > 1) {
    throw new Error(`${plural} ${name} has other labels or annotations than the rest`);
  }
  const selected = (aggregationRule?.clusterRoleSelectors ?? []).map(({ matchLabels = {} }) => trueKeys(matchLabels));
  const who = subjects.map(({ kind, name: subject, namespace: where = '' }) => `${kind}|${where}|${subject}`);
  const role = roleRef ? `${roleRef.kind}|${roleRef.name}` : '';
  return joined([`=${plural}`, namespace, name, trueKeys(others), selected.join(','), role, who.join(',')]);
}

/** Labels of roles say yes or nothing. */
function trueKeys(labels: Record<string, string>): string {
  if (Object.values(labels).some((value) => value !== 'true'))
    throw new Error(`unexpected labels ${Object.keys(labels)}`);
  return Object.keys(labels).sort().join(',');
}

function ruleLine(rule: NonNullable<DefaultRole['rules']>[number]): string {
  const lists = [rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs];
  return joined(lists.map((list) => (list ?? []).join(',')));
}

function joined(parts: readonly string[]): string {
  if (parts.some((part) => /[;\n]/.test(part))) throw new Error(`${parts} clash with the notation`);
  return parts.join(';').replace(/;+$/, '');
}
