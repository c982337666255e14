/** What the parts of a project are called. */
export interface OperatorNames {
  /** As it was given: `mail-server`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** `MailServer`. */
  readonly kind: string;
  /** `mailserver`. */
  readonly singular: string;
  /** `mailservers`. */
  readonly plural: string;
}

/** What a project is written for. */
export interface OperatorProject extends OperatorNames {
  /** What package.json says of tidewatch: a version, or a path. */
  readonly tidewatch: string;
  /** The versions of the tools, by the name of their package. */
  readonly toolVersions: Readonly<Record<string, string>>;
}

export function operatorNames(name: string, group: string): OperatorNames {
  const words = name.split('-');
  const kind = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const singular = words.join('');
  return { name, group, version: 'v1', kind, singular, plural: pluralOf(singular) };
}

function pluralOf(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
