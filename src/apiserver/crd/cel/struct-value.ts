import { type CelValue, LibraryValue, MapValue } from './values.ts';

/** `Object.spec{replicas: 1}`: an object that an expression has made, with the fields that it named. */
export class StructValue extends LibraryValue {
  readonly typeName: string;
  readonly fields: MapValue;

  constructor(typeName: string, fields: MapValue) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }

  equals(other: LibraryValue): boolean {
    return other === this;
  }
}

/** The parser writes such an object as a call of a function with this name, whose argument is the map of its fields. */
export const structCall = (typeName: string): string => `${typeName}{}`;

/** The name of the type, when the call makes an object. */
export function structOf(name: string): string | undefined {
  return name.endsWith('{}') ? name.slice(0, -2) : undefined;
}

export function makeStruct(typeName: string, fields: CelValue | undefined): CelValue {
  return new StructValue(typeName, fields instanceof MapValue ? fields : new MapValue([]));
}
