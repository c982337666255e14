/** The server counts bytes. */
const MAX_BYTES = 128;

/** The name, when a server takes it as the owner of fields: 1 to 128 printable characters. Otherwise a `TypeError`. */
export function checkFieldManager(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const isString = typeof name === 'string';
  if (isString && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name) && Buffer.byteLength(name) <= MAX_BYTES) return name;
  throw new TypeError(
    `fieldManager ${JSON.stringify(name)} cannot be the owner of fields: it must be 1 to ${MAX_BYTES} printable characters`,
  );
}
