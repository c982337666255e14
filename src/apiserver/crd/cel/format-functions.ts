import {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../values/name-rules.ts';
import { stringFormat } from '../formats.ts';
import type { FunctionTable } from './function-table.ts';
import { LibraryValue, ListValue, Optional } from './values.ts';

const PATTERN_SIZES: Readonly<Record<string, number>> = {
  labelValue: 40,
  uri: 1103,
  uuid: 70,
  byte: 84,
  date: 71,
  datetime: 71,
};

type Validate = (text: string) => string[];

class NamedFormat extends LibraryValue {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly validate: Validate;

  constructor(name: string, validate: Validate) {
    super();
    this.name = name;
    this.validate = validate;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }

  /** Of the pattern with which the server checks it, or would. */
  override get size(): number {
    return PATTERN_SIZES[this.name] ?? (/subdomain|qualified/i.test(this.name) ? 60 : 30);
  }
}

function known(format: string, complaint: string): Validate {
  return (text) => (stringFormat(format)?.(text) ? [] : [complaint]);
}

const FORMATS: Readonly<Record<string, Validate>> = {
  dns1123Label: (text) => dnsLabel(text, false),
  dns1123Subdomain: (text) => dnsSubdomain(text, false),
  dns1035Label: (text) => dns1035Label(text, false),
  dns1123LabelPrefix: (text) => dnsLabel(text, true),
  dns1123SubdomainPrefix: (text) => dnsSubdomain(text, true),
  dns1035LabelPrefix: (text) => dns1035Label(text, true),
  qualifiedName: qualifiedNameProblems,
  labelValue: labelValueProblems,
  uri: known('uri', 'invalid URI'),
  uuid: known('uuid', 'does not match the UUID format'),
  byte: known('byte', 'invalid base64'),
  date: known('date', 'invalid date'),
  datetime: known('date-time', 'invalid datetime'),
};

/** Kubernetes' named formats: `format.dns1123Label().validate(self.name)` gives optional complaints. */
export const formatFunctions: FunctionTable = {
  ...Object.fromEntries(
    Object.entries(FORMATS).map(([name, validate]) => [`format.${name}`, () => new NamedFormat(name, validate)]),
  ),
  'format.named': (name) => {
    if (typeof name !== 'string') return undefined;
    const validate = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    return new Optional(validate === undefined ? undefined : new NamedFormat(name, validate));
  },
  '.validate': (format, text) => {
    if (!(format instanceof NamedFormat) || typeof text !== 'string') return undefined;
    const problems = format.validate(text);
    return new Optional(problems.length === 0 ? undefined : new ListValue(problems));
  },
};
