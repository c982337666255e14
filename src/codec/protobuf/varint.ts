/** How many bytes `writeVarint` writes. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Returns where it ends. */
export function writeVarint(out: Uint8Array, at: number, value: number): number {
  let position = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[position++] = (rest % 0x80) | 0x80;
  out[position++] = rest;
  return position;
}
