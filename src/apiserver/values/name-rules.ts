import { isIPv4, isIPv6 } from 'node:net';

/** Which names a kind accepts. Each gives the complaints of `apimachinery/pkg/util/validation`, none when the name is fine. */
export type NameRule = (name: string, isPrefix: boolean) => string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const QUALIFIED_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_PATTERN = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

export const dnsSubdomain: NameRule = (name, isPrefix) => {
  const value = maskTrailingDash(name, isPrefix);
  const problems = tooLong(name, 253, 'characters');
  if (!DNS_SUBDOMAIN.test(value)) {
    problems.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`,
    );
  }
  return problems;
};

/** Such as `*.example.com`. */
export const wildcardSubdomain: NameRule = (name) => {
  const problems = tooLong(name, 253, 'characters');
  if (!name.startsWith('*.') || !DNS_SUBDOMAIN.test(name.slice(2))) {
    problems.push(
      `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.${LABEL}(\\.${LABEL})*')`,
    );
  }
  return problems;
};

export const dnsLabel: NameRule = (name, isPrefix) => {
  const value = maskTrailingDash(name, isPrefix);
  const problems = tooLong(name, 63, 'characters');
  if (!DNS_LABEL.test(value)) {
    if (DNS_SUBDOMAIN.test(value)) problems.push('must not contain dots');
    else {
      problems.push(
        `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
      );
    }
  }
  return problems;
};

export const dns1035Label: NameRule = (name, isPrefix) => {
  const value = maskTrailingDash(name, isPrefix);
  const problems = tooLong(name, 63, 'characters');
  if (!DNS_1035.test(value)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems;
};

/** Anything that can stand in a URL as one segment: RBAC's names, for one. */
export const pathSegment: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
};

/** As `pathSegment`, for kinds that do not judge their metadata: it is looked at when the rest is fine. */
export const anyName: NameRule = (name, isPrefix) => pathSegment(name, isPrefix);

/** The one way to write an address: of IPv6, the shortest one. */
export const ipAddressName: NameRule = (name) => {
  if (isIPv4(name)) return [];
  if (/^\d+(?:\.\d+){3}$/.test(name) && isIPv4(name.replace(/\b0+(?=\d)/g, ''))) return ['must not have leading 0s'];
  if (!isIPv6(name) || name.includes('%')) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  const shortest = new URL(`http://[${name}]`).hostname.slice(1, -1);
  if (/^::ffff:[0-9a-f]+:[0-9a-f]+$/.test(shortest)) return ['must not be an IPv4-mapped IPv6 address'];
  return shortest === name ? [] : [`must be in canonical form (${JSON.stringify(shortest)})`];
};

/** A key of the data of a ConfigMap or a Secret. */
export function configKeyProblems(key: string): string[] {
  if (key.length > 253) return ['must be no more than 253 bytes'];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    return [
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ];
  }
  if (key === '.' || key === '..') return [`must not be '${key}'`];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

/** The name of a port of a container, which others refer to by it. */
export function portNameProblems(name: string): string[] {
  const problems = tooLong(name, 15, 'characters');
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** A label or annotation key. */
export function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/');
  const problems: string[] = [];
  let name = parts[0] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    name = parts[1] ?? '';
    if (prefix === '') problems.push('prefix part must be non-empty');
    else problems.push(...dnsSubdomain(prefix, false).map((text) => `prefix part ${text}`));
  } else if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_MESSAGE} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_PATTERN}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!QUALIFIED_NAME.test(name)) {
    problems.push(
      `name part ${QUALIFIED_MESSAGE} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_PATTERN}')`,
    );
  }
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = tooLong(value, 63);
  if (!LABEL_VALUE.test(value)) {
    problems.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    );
  }
  return problems;
}

/** A prefix for generated names may end in a dash: the suffix makes it whole. */
function maskTrailingDash(name: string, isPrefix: boolean): string {
  return isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

function tooLong(text: string, limit: number, unit = 'bytes'): string[] {
  return Buffer.byteLength(text) > limit ? [`must be no more than ${limit} ${unit}`] : [];
}
