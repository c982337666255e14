import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/**
 * A Swagger document as gnostic's `openapi.v2.Document`, the only form of it that client-go reads. Field numbers are
 * those of gnostic's OpenAPIv2.proto; only what `v2.ts` and schemas of custom resources can contain is written.
 */
export function encodeV2(document: JsonObject): Uint8Array {
  const writer = new ProtobufWriter();
  writer.text(1, asString(document.swagger));
  const info = asObject(document.info);
  writer.message(2, (out) => out.text(1, asString(info.title)).text(2, asString(info.version)));
  writer.message(8, (out) => writePaths(out, asObject(document.paths)));
  writer.message(9, (out) => writeNamed(out, 1, asObject(document.definitions), writeSchema));
  for (const requirement of asArray(document.security).map(asObject)) {
    writer.message(12, (out) =>
      writeNamed(out, 1, requirement, (inner, scopes) => inner.texts(1, asArray(scopes).map(asString))),
    );
  }
  writer.message(13, (out) =>
    writeNamed(out, 1, asObject(document.securityDefinitions), (item, value) => {
      const scheme = asObject(value);
      item.message(2, (key) => {
        key.text(1, asString(scheme.type)).text(2, asString(scheme.name));
        key.text(3, asString(scheme.in)).text(4, asString(scheme.description));
      });
    }),
  );
  return writer.finish();
}

type WriteValue = (writer: ProtobufWriter, value: JsonValue) => unknown;

/** Maps are lists of a name and a value. */
function writeNamed(writer: ProtobufWriter, field: number, map: JsonObject, write: WriteValue): void {
  for (const [name, value] of Object.entries(map)) {
    if (value === undefined) continue;
    writer.message(field, (pair) => pair.text(1, name).message(2, (out) => write(out, value)));
  }
}

function writePaths(writer: ProtobufWriter, paths: JsonObject): void {
  writeNamed(writer, 2, paths, (out, value) => {
    const item = asObject(value);
    for (const [method, field] of METHODS) {
      const operation = item[method];
      if (isObject(operation)) out.message(field, (inner) => writeOperation(inner, operation));
    }
    writeParameters(out, 9, asArray(item.parameters));
  });
}

const METHODS = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['patch', 8],
] as const;

function writeOperation(writer: ProtobufWriter, operation: JsonObject): void {
  writer.texts(1, asArray(operation.tags).map(asString));
  writer.text(5, asString(operation.operationId));
  writer.texts(6, asArray(operation.produces).map(asString));
  writer.texts(7, asArray(operation.consumes).map(asString));
  writeParameters(writer, 8, asArray(operation.parameters));
  writer.message(9, (responses) =>
    writeNamed(responses, 1, asObject(operation.responses), (value, response) => {
      const { description, schema } = asObject(response);
      value.message(1, (out) => {
        out.text(1, asString(description));
        if (isObject(schema)) out.message(2, (item) => item.message(1, (inner) => writeSchema(inner, schema)));
      });
    }),
  );
  writer.texts(10, asArray(operation.schemes).map(asString));
  writeExtensions(writer, 13, operation);
}

function writeParameters(writer: ProtobufWriter, field: number, parameters: readonly JsonValue[]): void {
  for (const parameter of parameters.map(asObject)) {
    writer.message(field, (item) => item.message(1, (out) => writeParameter(out, parameter)));
  }
}

function writeParameter(writer: ProtobufWriter, parameter: JsonObject): void {
  const { schema } = parameter;
  const isRequired = parameter.required === true;
  if (isObject(schema)) {
    writer.message(1, (out) => {
      out.text(2, asString(parameter.name)).text(3, asString(parameter.in)).flag(4, isRequired);
      out.message(5, (inner) => writeSchema(inner, schema));
    });
    return;
  }
  const inPath = parameter.in === 'path';
  writer.message(2, (nonBody) =>
    nonBody.message(inPath ? 4 : 3, (out) => {
      out.flag(1, isRequired).text(2, asString(parameter.in)).text(4, asString(parameter.name));
      out.text(inPath ? 5 : 6, asString(parameter.type)).flag(inPath ? 19 : 20, parameter.uniqueItems === true);
    }),
  );
}

function writeSchema(writer: ProtobufWriter, value: JsonValue): void {
  const schema = asObject(value);
  const number = (key: string) => (typeof schema[key] === 'number' ? (schema[key] as number) : undefined);
  writer.text(1, asString(schema.$ref)).text(2, asString(schema.format)).text(3, asString(schema.title));
  writer.text(4, asString(schema.description));
  writer
    .double(6, number('multipleOf'))
    .double(7, number('maximum'))
    .flag(8, schema.exclusiveMaximum === true);
  writer.double(9, number('minimum')).flag(10, schema.exclusiveMinimum === true);
  writer.integer(11, number('maxLength')).integer(12, number('minLength')).text(13, asString(schema.pattern));
  writer
    .integer(14, number('maxItems'))
    .integer(15, number('minItems'))
    .flag(16, schema.uniqueItems === true);
  writer.integer(17, number('maxProperties')).integer(18, number('minProperties'));
  writer.texts(19, asArray(schema.required).map(asString));
  for (const allowed of asArray(schema.enum)) writer.message(20, (out) => writeAny(out, allowed));
  const additional = schema.additionalProperties;
  if (isObject(additional)) writer.message(21, (out) => out.message(1, (inner) => writeSchema(inner, additional)));
  else if (additional === true) writer.message(21, (out) => out.flag(2, true));
  if (typeof schema.type === 'string') writer.message(22, (out) => out.texts(1, [asString(schema.type)]));
  const { items } = schema;
  if (isObject(items)) writer.message(23, (out) => out.message(1, (inner) => writeSchema(inner, items)));
  if (isObject(schema.properties)) {
    writer.message(25, (out) => writeNamed(out, 1, asObject(schema.properties), writeSchema));
  }
  writeExtensions(writer, 31, schema);
}

function writeExtensions(writer: ProtobufWriter, field: number, object: JsonObject): void {
  const extensions = Object.entries(object).filter(([key]) => key.startsWith('x-'));
  writeNamed(writer, field, Object.fromEntries(extensions), writeAny);
}

/** Any value travels as YAML, of which JSON is a part. */
function writeAny(writer: ProtobufWriter, value: JsonValue): void {
  writer.text(2, `${JSON.stringify(value)}\n`);
}
