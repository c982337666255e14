/** The text with what is between two comments replaced. Throws when they are not there. */
export function withSection(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the lines "${begin}" and "${end}" are missing`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
