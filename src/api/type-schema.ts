/**
 * How one Go struct of Kubernetes looks on both wires, and how a server merges it. Generated from struct tags and the
 * OpenAPI of a real server (`generated/`); read by the wire codec and by the embedded server.
 */
export interface TypeSchema {
  /** `io.k8s.api.core.v1.Pod`: the name that OpenAPI uses. */
  readonly name: string;
  /** In the order in which Go writes them to JSON. */
  readonly fields: readonly FieldSchema[];
  /**
   * Set when JSON does not show the message as an object of its fields:
   * - `value`: JSON is the value of its one field (`ExtraValue` and `Verbs`: a list of strings).
   * - `choice`: JSON is the value of one of its two fields: the first when it is set (a message that is present, a list
   *   with items), else the second (a message, or null when absent; a bool, false when absent). In the other
   *   direction the JSON decides: a list goes to the list field, true or false to the bool, an object to the message;
   *   with an object, a bool field becomes true. (`JSONSchemaPropsOrArray`, `…OrBool`, `…OrStringArray`.)
   */
  readonly form?: 'value' | 'choice';
  /** Set when maps and lists inside are not merged but replaced as one (`x-kubernetes-map-type: atomic`). */
  readonly atomic?: boolean;
}

/** Values that are not messages of their own, and how JSON shows them. */
export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float'
  | 'double'
  /** base64 in JSON */
  | 'bytes'
  /** `metav1.Time`: RFC 3339 in seconds; zero is null. Message { 1: int64 seconds, 2: int32 nanos }, empty for zero. */
  | 'Time'
  /** `metav1.MicroTime`: RFC 3339 with six decimals. Message as `Time`. */
  | 'MicroTime'
  /** `metav1.Duration`: Go's duration text. Message { 1: int64 nanoseconds }. */
  | 'Duration'
  /** `resource.Quantity`: a string. Message { 1: string }. */
  | 'Quantity'
  /** `intstr.IntOrString`: number or string. Message { 1: int64 type (0 number, 1 string), 2: int32, 3: string }. */
  | 'IntOrString'
  /** `runtime.RawExtension`: any JSON object. Message { 1: bytes }, whose bytes hold JSON; without them null. */
  | 'RawExtension'
  /** `metav1.FieldsV1`: a JSON object. Message { 1: bytes of JSON }. */
  | 'FieldsV1'
  /** `apiextensions JSON`: any JSON value. Message { 1: bytes of JSON }; without them null. */
  | 'JSON';

export interface FieldSchema {
  /** The name in JSON; empty when `inline`. */
  readonly json: string;
  /** The field number in protobuf; 0 when it is not on that wire (`kind` and `apiVersion`, which the envelope carries). */
  readonly wire: number;
  /** An embedded struct (`VolumeSource` in `Volume`): a message in protobuf, while JSON shows its fields here, in the parent. */
  readonly inline?: true;
  readonly shape: 'one' | 'list' | 'map';
  /** What one element is: a scalar, or the name of a `TypeSchema`. */
  readonly type: ScalarType | (string & {});
  /** A Go pointer: absence and the zero value differ. */
  readonly pointer: boolean;
  /** What JSON leaves out: nothing; empty values; zero structs. */
  readonly omit: 'never' | 'empty' | 'zero';
  /** OpenAPI lists it under `required`. */
  readonly required: boolean;
  /** `merge`, `replace`, `retainKeys` and combinations, as in the `patchStrategy` tag. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** The default that OpenAPI declares: often the zero value, for fields that JSON always has; never a whole message. */
  readonly default?: unknown;
}

/** One built-in resource, as the discovery of a real server describes it. */
export interface ResourceDescription {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceDescription[];
  /** The `TypeSchema` of its objects. */
  readonly schema: string;
  /** client-go's package for the group (`core`, `rbac`) and its accessor in lowerCamelCase (`configMaps`). */
  readonly groupAccessor: string;
  readonly accessor: string;
  /** What `fieldSelector` accepts beside metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** Set when a server with default flags does not serve it: it takes a feature gate, or `--runtime-config`. */
  readonly optIn?: true;
}

export interface SubresourceDescription {
  /** `status`, `scale`, `binding`, … */
  readonly name: string;
  /** The kind that it reads and writes, with its group and version. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}
