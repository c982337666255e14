import { type FieldError, invalid } from '../request/field-error.ts';
import { qualifiedNameProblems } from '../values/name-rules.ts';
import { type Amount, amountText } from '../values/resource-amounts.ts';

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const IN_QUOTAS = new Set([
  ...COMPUTE,
  ...['requests', 'limits'].flatMap((list) => COMPUTE.map((name) => `${list}.${name}`)),
  'requests.storage',
  ...COUNTED,
]);
const NANOS = 1_000_000_000n;

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Such as `vendor.example/device`: what a node counts without knowing what it is. */
function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

/** Whether a container may be promised less than it may use. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

/** Whether a quota may name it without a domain. */
export function isQuotaName(name: string): boolean {
  return IN_QUOTAS.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

export function validateResourceName(name: string, field: string): FieldError[] {
  const errors = qualifiedNameProblems(name).map((text) => invalid(field, name, text));
  if (errors.length > 0 || name.includes('/') || name === 'storage' || isQuotaName(name)) return errors;
  return [invalid(field, name, 'must be a standard resource type or fully qualified')];
}

export function validateContainerResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (!name.includes('/')) {
    if (COMPUTE.includes(name) || isHugePages(name)) return errors;
    return [...errors, invalid(field, name, 'must be a standard resource for containers')];
  }
  if (isNative(name) || isExtended(name)) return errors;
  return [...errors, invalid(field, name, "doesn't follow extended resource name standard")];
}

export function validateQuotaResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (name.includes('/') || isQuotaName(name)) return errors;
  return [...errors, invalid(field, name, 'must be a standard resource for quota')];
}

/** An amount is not negative, and of what is counted there are no parts. */
export function validateResourceAmount(name: string, amount: Amount, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const shown = amountText(amount);
  if (amount.nanos < 0n) errors.push(invalid(field, shown, 'must be greater than or equal to 0'));
  if ((COUNTED.has(name) || isExtended(name)) && amount.nanos % NANOS !== 0n) {
    errors.push(invalid(field, shown, 'must be an integer'));
  }
  return errors;
}
