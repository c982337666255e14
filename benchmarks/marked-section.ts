/** The text with what is between two comments replaced. Throws when they are not there. */
export function withSection(text: string, name: string, content: string): string {
  const { from, to } = placeOf(text, name);
  return `${text.slice(0, from)}\n${content}\n${text.slice(to)}`;
}

/** What is between the two comments. Throws when they are not there. */
export function sectionOf(text: string, name: string): string {
  const { from, to } = placeOf(text, name);
  return text.slice(from + 1, to - 1);
}

function placeOf(text: string, name: string): { from: number; to: number } {
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the lines "${begin}" and "${end}" are missing`);
  return { from: from + begin.length, to };
}
