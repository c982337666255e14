/** `12,345`. */
export function countText(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 pod`, `3 pods`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** `0.4`, `12`, `2,000`: no more digits than mean something. */
export function rateText(perSecond: number): string {
  return perSecond > 0 && perSecond < 9.95 ? perSecond.toFixed(1) : countText(perSecond);
}

/** `512 B`, `3.6 KB`, `12 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1_000 && unit < units.length - 1) {
    amount /= 1_000;
    unit++;
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}
