import { BOOL, type CelType, DYN, INT, STRING, STRINGS, scalar } from './types.ts';

const DOUBLE = scalar('double');
const QUANTITY = scalar('kubernetes.Quantity');
const ADDRESS = scalar('net.IP');
const NETWORK = scalar('net.CIDR');
const FORMAT = scalar('kubernetes.NamedFormat');

/** By name: `name` for functions, `.name` for methods. */
const FIXED: ReadonlyMap<string, CelType> = new Map([
  ...each('size .size int .indexOf .lastIndexOf .compareTo .sign .asInteger .family .prefixLength', INT),
  ...each(
    '.getFullYear .getMonth .getDate .getDayOfMonth .getDayOfWeek .getDayOfYear .getHours .getMinutes .getSeconds .getMilliseconds',
    INT,
  ),
  ...each('double .asApproximateFloat', DOUBLE),
  ...each('uint', scalar('uint')),
  ...each('string .find .replace .lowerAscii .upperAscii .trim .substring .charAt .join .format strings.quote', STRING),
  ...each('.getScheme .getHost .getHostname .getPort .getEscapedPath', STRING),
  ...each('.findAll .split', STRINGS),
  ...each('bytes', scalar('bytes')),
  ...each('timestamp', scalar('google.protobuf.Timestamp')),
  ...each('duration', scalar('google.protobuf.Duration')),
  ...each('type', scalar('type')),
  ...each('bool .contains .startsWith .endsWith .matches matches .isSorted .hasValue', BOOL),
  ...each('isQuantity isIP isCIDR isURL .isGreaterThan .isLessThan .isInteger ip.isCanonical', BOOL),
  ...each('.isUnspecified .isLoopback .containsIP .containsCIDR', BOOL),
  ...each('sets.contains sets.equivalent sets.intersects', BOOL),
  ...each('quantity .add .sub', QUANTITY),
  ...each('ip .ip', ADDRESS),
  ...each('cidr .masked', NETWORK),
  ...each('url', scalar('kubernetes.URL')),
  ...each('.allowed .errored', BOOL),
  ...each('.error .reason', STRING),
  ...each('.getQuery', { kind: 'map', values: STRINGS }),
  ...each('format.named', { kind: 'optional', inner: FORMAT }),
  ...each('.validate', { kind: 'optional', inner: STRINGS }),
  ...each('lists.range', { kind: 'list', items: INT }),
  ...each('optional.none', { kind: 'optional', inner: DYN }),
]);

function each(names: string, type: CelType): [string, CelType][] {
  return names.split(' ').map((name) => [name, type]);
}

/** The type that a function gives for arguments of these types, of which a method's receiver is the first. */
export function resultType(name: string, types: readonly CelType[]): CelType {
  const [first = DYN, second = DYN] = types;
  switch (name) {
    case '.reverse':
    case '.slice':
    case '.sort':
    case '.distinct':
      return first;
    case '.flatten':
      return first.kind === 'list' && first.items.kind === 'list' ? first.items : first;
    case '.sum':
    case '.min':
    case '.max':
      return first.kind === 'list' ? first.items : DYN;
    case 'optional.of':
    case 'optional.ofNonZeroValue':
      return { kind: 'optional', inner: first };
    case '.value':
      return first.kind === 'optional' ? first.inner : DYN;
    case '.orValue':
      return first.kind === 'optional' && first.inner.kind !== 'dyn' ? first.inner : second;
    case '.or':
      return first.kind === 'optional' && first.inner.kind !== 'dyn' ? first : second;
    default:
  }
  if (name.startsWith('format.') && name !== 'format.named') return FORMAT;
  return FIXED.get(name) ?? DYN;
}
