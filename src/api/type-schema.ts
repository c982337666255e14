/**
 * How one Go struct of Kubernetes looks on both wires, and how a server merges it. Generated from struct tags and the
 * OpenAPI of a real server (`generated/`); read by the wire codec and by the embedded server.
 */
export interface TypeSchema {
  /** `io.k8s.api.core.v1.Pod`: the name that OpenAPI uses. */
  readonly name: string;
  readonly fields: readonly FieldSchema[];
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
  /** `metav1.Time`: RFC 3339 in seconds; the zero time is null. */
  | 'Time'
  /** `metav1.MicroTime`: RFC 3339 with six decimals. */
  | 'MicroTime'
  /** `metav1.Duration`: Go's duration text. */
  | 'Duration'
  /** `resource.Quantity`: a string in both encodings. */
  | 'Quantity'
  /** `intstr.IntOrString`: number or string in JSON. */
  | 'IntOrString'
  /** `runtime.RawExtension`: any JSON object; its bytes may hold JSON. */
  | 'RawExtension'
  /** `metav1.FieldsV1`: JSON as bytes. */
  | 'FieldsV1'
  /** `apiextensions JSON` and its relatives (JSONSchemaPropsOrBool, …): any JSON value. */
  | 'JSON';

export interface FieldSchema {
  /** The name in JSON. */
  readonly json: string;
  /** The field number in protobuf; 0 when the field is not on that wire. */
  readonly wire: number;
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
  /** The default that OpenAPI declares. */
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
