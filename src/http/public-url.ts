/** A URL for messages and for `inspect`: without user name and password, and without slashes at its end. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return redacted(text);
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

/** What is not a URL may still hold a password: whatever stands before an at sign. */
export function redacted(text: string): string {
  return text.replace(/^([^@]*?:\/\/)?.*@/s, '$1…@').slice(0, 200);
}
