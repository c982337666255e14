const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** What is wrong with a label key (`name` or `prefix/name`), or undefined. */
export function labelKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== undefined && (prefix.length > 253 || !SUBDOMAIN.test(prefix))) {
    return `the prefix of the label key "${key}" must be a lower-case DNS name of at most 253 characters`;
  }
  if (name.length > 63 || !NAME.test(name)) {
    return `the label key "${key}" must be at most 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit`;
  }
  return undefined;
}

/** What is wrong with a label value, or undefined. */
export function labelValueProblem(value: string): string | undefined {
  if (value === '' || (value.length <= 63 && NAME.test(value))) return undefined;
  return `the label value "${value}" must be empty or at most 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit`;
}
