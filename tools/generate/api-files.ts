import type { ResourceDescription } from '../../src/api/type-schema.ts';
import { fieldComment } from './field-comment.ts';
import type { FieldFacts } from './field-facts.ts';
import { doorOf } from './packages.ts';
import { type GoField, type GoStrings, type GoType, HEADER, type Output } from './sources.ts';

/** Written by hand in `src/api`; the door `meta/v1` passes them on. */
const HAND_WRITTEN = new Map([
  ['ListMeta', 'metadata'],
  ['ManagedFieldsEntry', 'metadata'],
  ['ObjectMeta', 'metadata'],
  ['OwnerReference', 'metadata'],
  ['PartialObjectMetadata', 'metadata'],
  ['Status', 'status'],
  ['StatusCause', 'status'],
  ['StatusDetails', 'status'],
]);

const META_DOOR = 'meta/v1';

const SCALARS = new Map([
  ['string', 'string'],
  ['bool', 'boolean'],
  ['int32', 'number'],
  ['int64', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['bytes', 'string'],
  ['Time', 'string'],
  ['MicroTime', 'string'],
  ['Duration', 'string'],
  ['Quantity', 'string'],
  ['IntOrString', 'number | string'],
  ['RawExtension', 'unknown'],
  ['FieldsV1', 'unknown'],
  ['JSON', 'unknown'],
]);

/** `api/<group>/<version>.ts`: the types of each Go package, and the tokens of the resources that it describes. */
export function addApiFiles(
  output: Output,
  types: ReadonlyMap<string, GoType>,
  strings: ReadonlyMap<string, GoStrings>,
  facts: FieldFacts,
  resources: readonly ResourceDescription[],
): void {
  const doors = new Map<string, ApiFile>();
  const fileOf = (door: string): ApiFile => {
    const known = doors.get(door) ?? new ApiFile(door, types, strings, facts);
    doors.set(door, known);
    return known;
  };
  for (const type of types.values()) {
    fileOf(doorOf(type.package)).addType(type);
    for (const field of type.fields) {
      const named = strings.get(field.strings ?? '');
      if (named && constants(named).length > 0) fileOf(doorOf(named.package)).addStrings(named);
    }
  }
  for (const resource of resources) fileOf(`${resource.groupAccessor}/${resource.version}`).addToken(resource);
  for (const [door, file] of doors) output.set(`api/${door}.ts`, file.text());
}

class ApiFile {
  readonly #door: string;
  readonly #types: ReadonlyMap<string, GoType>;
  readonly #strings: ReadonlyMap<string, GoStrings>;
  readonly #facts: FieldFacts;
  readonly #own = new Map<string, GoType>();
  readonly #ownStrings = new Map<string, string>();
  readonly #tokens: string[] = [];
  readonly #tokenTypes = new Set<string>();
  /** By door: the names taken from there, with the name that each has here. */
  readonly #imports = new Map<string, Map<string, string>>();

  constructor(
    door: string,
    types: ReadonlyMap<string, GoType>,
    strings: ReadonlyMap<string, GoStrings>,
    facts: FieldFacts,
  ) {
    this.#door = door;
    this.#types = types;
    this.#strings = strings;
    this.#facts = facts;
  }

  addType(type: GoType): void {
    this.#own.set(type.goName, type);
  }

  addStrings(strings: GoStrings): void {
    const values = constants(strings).map((value) => `'${value}'`);
    this.#ownStrings.set(strings.goName, `export type ${strings.goName} = ${values.join(' | ')} | (string & {});\n`);
  }

  addToken(resource: ResourceDescription): void {
    const { group, version, plural, kind, accessor, verbs } = resource;
    const names = [group, version, plural].map((name) => `'${name}'`).join(', ');
    const isPods = group === '' && plural === 'pods';
    // The client of the pods can do more than others, that of what is stored nowhere less: the type of their token says so.
    const token = isPods ? 'PodResource' : verbs.join() === 'create' ? 'AnsweredResource' : 'Resource';
    this.#tokenTypes.add(token);
    const type = `${token}<${kind}>`;
    const made = `/*#__PURE__*/ builtin<${kind}>(${names})${token === 'Resource' ? '' : ` as ${type}`}`;
    this.#tokens.push(`export const ${accessor}: ${type} = ${made};\n`);
  }

  text(): string {
    const isMeta = this.#door === META_DOOR;
    const declarations: [string, string][] = [];
    for (const [name, type] of this.#own) {
      if (!isMeta || !HAND_WRITTEN.has(name)) declarations.push([name, this.#typeText(type)]);
    }
    for (const [name, text] of this.#ownStrings) declarations.push([name, text]);
    declarations.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#tokens.sort();
    return [
      HEADER,
      ...(this.#tokens.length > 0
        ? [
            `import type { ${[...this.#tokenTypes].sort().join(', ')} } from '../../../api/resource.ts';\n`,
            "import { builtin } from '../../resources.ts';\n",
          ]
        : []),
      ...this.#importLines(),
      ...(isMeta ? reExports() : []),
      ...declarations.map(([, text]) => `\n${text}`),
      ...(this.#tokens.length > 0 ? ['\n', ...this.#tokens] : []),
    ].join('');
  }

  #typeText(type: GoType): string {
    if (type.form !== undefined) {
      const alternatives = type.fields.map((field) => this.#fieldType(field));
      return `export type ${type.goName} = ${alternatives.join(' | ')};\n`;
    }
    const parents = type.fields.filter((field) => field.inline).map((field) => this.#typeName(field.type));
    const heritage = parents.length > 0 ? ` extends ${parents.join(', ')}` : '';
    const members = type.fields
      .filter((field) => !field.inline)
      .map((field) => {
        const schema = this.#facts.fieldSchema(type, field);
        const mark = schema.required ? '' : '?';
        const named = this.#strings.get(field.strings ?? '');
        const comment = fieldComment(schema, named ? constants(named) : []);
        return `${comment}  ${propertyName(field.json)}${mark}: ${this.#fieldType(field)};\n`;
      });
    return `export interface ${type.goName}${heritage} {\n${members.join('')}}\n`;
  }

  #fieldType(field: GoField): string {
    const element = this.#elementType(field);
    if (field.shape === 'one') return element;
    if (field.shape === 'map') return `Record<string, ${element}>`;
    return element.includes(' ') ? `(${element})[]` : `${element}[]`;
  }

  #elementType(field: GoField): string {
    if (field.strings !== undefined) {
      const named = this.#strings.get(field.strings);
      if (!named || constants(named).length === 0) return 'string';
      return this.#nameFrom(doorOf(named.package), named.goName);
    }
    return SCALARS.get(field.type) ?? this.#typeName(field.type);
  }

  #typeName(name: string): string {
    const type = this.#types.get(name);
    if (!type) throw new Error(`${name} is not among the types`);
    return this.#nameFrom(doorOf(type.package), type.goName);
  }

  #nameFrom(door: string, name: string): string {
    if (door === this.#door) return name;
    const names = this.#imports.get(door) ?? new Map<string, string>();
    this.#imports.set(door, names);
    const known = names.get(name);
    if (known !== undefined) return known;
    const taken =
      this.#own.has(name) ||
      this.#ownStrings.has(name) ||
      [...this.#imports.values()].some((others) => [...others.values()].includes(name));
    const here = taken ? door.replace(/(?:^|\/)(\w)/g, (_, first: string) => first.toUpperCase()) + name : name;
    names.set(name, here);
    return here;
  }

  #importLines(): string[] {
    return [...this.#imports].sort().map(([door, names]) => {
      const list = [...names].sort().map(([name, here]) => (name === here ? name : `${name} as ${here}`));
      return `import type { ${list.join(', ')} } from '${relativeDoor(this.#door, door)}';\n`;
    });
  }
}

function relativeDoor(from: string, to: string): string {
  const [fromGroup] = from.split('/');
  const [toGroup, toVersion] = to.split('/');
  return fromGroup === toGroup ? `./${toVersion}.ts` : `../${to}.ts`;
}

function propertyName(json: string): string {
  return /^[A-Za-z_]\w*$/.test(json) ? json : `'${json}'`;
}

/** Imported as well, since the other types of the file use them. */
function reExports(): string[] {
  const files = [...new Set(HAND_WRITTEN.values())].sort();
  const imports = files.map((file) => {
    const names = [...HAND_WRITTEN].filter(([, owner]) => owner === file).map(([name]) => name);
    return `import type { ${names.join(', ')} } from '../../../api/${file}.ts';\n`;
  });
  return [...imports, `\nexport type { ${[...HAND_WRITTEN.keys()].join(', ')} };\n`];
}

function constants(strings: GoStrings): string[] {
  return [...new Set(strings.values)].filter((value) => value !== '');
}
