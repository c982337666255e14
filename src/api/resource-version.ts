const ZERO = 0x30;

/**
 * Compares two resourceVersions of the same resource: negative when `a` is older, 0 when equal, positive when newer,
 * `undefined` when they cannot be ordered. Decimal numbers of any length are ordered (longer is newer, then by text;
 * never as a `Number`); anything else (aggregated APIs may use other forms) is only tested for equality.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isOrdered(a) || !isOrdered(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

function isOrdered(version: string): boolean {
  for (let i = 0; i < version.length; i++) {
    const digit = version.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return false;
  }
  return version.length === 1 || (version.length > 1 && version.charCodeAt(0) !== ZERO);
}
