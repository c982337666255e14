import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const page = (name: string) => fileURLToPath(new URL(`../src/inspector/page/${name}`, import.meta.url));

/** The files of the inspector's page as a browser loads them, small: they are a part of the package, as text. */
export function inspectorPage(): { html: string; script: string; style: string; icon: string } {
  const { outputFiles } = buildSync({
    entryPoints: [page('main.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    logLevel: 'warning',
  });
  const style = transformSync(readFileSync(page('page.css'), 'utf8'), { loader: 'css', minify: true }).code;
  return {
    html: readFileSync(page('page.html'), 'utf8'),
    script: outputFiles[0]?.text ?? '',
    style,
    icon: readFileSync(page('icon.svg'), 'utf8'),
  };
}
