/** As `metav1.MicroTime` goes over the wire: servers accept exactly six digits of the fraction. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/Z$/, '000Z');
}
