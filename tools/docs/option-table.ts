import type { DocumentedName } from './door.ts';

const BEGIN = /^<!-- options of (\w+), by npm run generate:docs -->$/;
const END = '<!-- end of options -->';

/** The page, with each table of options between its markers made from the types and their doc comments. */
export function withOptionTables(page: string, names: readonly DocumentedName[]): string {
  const lines: string[] = [];
  let isSkipping = false;
  for (const line of page.split('\n')) {
    if (line === END) isSkipping = false;
    if (!isSkipping) lines.push(line);
    const [, name] = BEGIN.exec(line) ?? [];
    if (name === undefined) continue;
    isSkipping = true;
    lines.push('', ...optionTable(name, names), '');
  }
  if (isSkipping) throw new Error(`a table of options has no ${END}`);
  return lines.join('\n');
}

function optionTable(name: string, names: readonly DocumentedName[]): string[] {
  const found = names.find((documented) => documented.name === name);
  if (!found) throw new Error(`no door exports ${name}`);
  const rows = found.members.map(({ signature, doc }) => {
    const [, option = signature, type = ''] = /^([\w$]+)\??: (.*)$/s.exec(signature) ?? [];
    if (doc === '') throw new Error(`${name}.${option} has no doc comment`);
    return `| \`${option}\` | ${cell(`\`${shortType(type)}\``)} | ${cell(doc)} |`;
  });
  return ['| option | type | effect |', '| --- | --- | --- |', ...rows.sort()];
}

/** Each option may be undefined, which says nothing. */
function shortType(type: string): string {
  const short = type.replace(/ \| undefined$/, '');
  return /^\(\(.*\)$/s.test(short) ? short.slice(1, -1) : short;
}

function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
