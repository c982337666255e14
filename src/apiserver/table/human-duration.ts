const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_HOURS = 24;
const YEAR_DAYS = 365;

/** An age in two or three significant figures, as `duration.HumanDuration` of apimachinery writes it: `5m30s`, `7d`, `2y3d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / MINUTE);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / HOUR);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / DAY_HOURS);
  if (hours < DAY_HOURS * 8) return pair(days, 'd', hours % DAY_HOURS, 'h');
  if (hours < DAY_HOURS * YEAR_DAYS * 2) return `${days}d`;
  const years = Math.trunc(days / YEAR_DAYS);
  if (hours < DAY_HOURS * YEAR_DAYS * 8) return pair(years, 'y', days % YEAR_DAYS, 'd');
  return `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
