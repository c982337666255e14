/** What is known of a value before it is there. `dyn` stands for anything. */
export type CelType =
  | { readonly kind: 'scalar'; readonly name: string }
  | { readonly kind: 'dyn' }
  | { readonly kind: 'list'; readonly items: CelType }
  | { readonly kind: 'map'; readonly values: CelType }
  | { readonly kind: 'optional'; readonly inner: CelType }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, CelType> };

export const DYN: CelType = { kind: 'dyn' };
export const scalar = (name: string): CelType => ({ kind: 'scalar', name });
export const BOOL = scalar('bool');
export const INT = scalar('int');
export const STRING = scalar('string');
export const STRINGS: CelType = { kind: 'list', items: STRING };

/** As messages name it; undefined when it has no name that users know. */
export function typeText(type: CelType): string | undefined {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'dyn':
      return 'dyn';
    case 'list': {
      const items = typeText(type.items);
      return items === undefined ? undefined : `list(${items})`;
    }
    case 'map': {
      const values = typeText(type.values);
      return values === undefined ? undefined : `map(string, ${values})`;
    }
    default:
      return undefined;
  }
}
