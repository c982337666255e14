import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lines, manifest, report, repository, run } from './package-report.ts';

export function checkDeclarations(project: string): void {
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  writeFileSync(
    join(project, 'user.ts'),
    `import * as tidewatch from '${manifest.name}';\nexport const doors = Object.keys(tidewatch);\n`,
  );
  const check = (skipLibCheck: boolean) => {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck,
      types: ['node'],
      typeRoots: [resolve(repository, 'node_modules', '@types')],
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.ts'] }));
    return run(process.execPath, [tsc, '-p', '.', '--extendedDiagnostics'], project);
  };
  const strict = check(false);
  const ownErrors = strict.output
    .split('\n')
    .filter((line) => line.includes(`node_modules/${manifest.name}/`) || line.startsWith('user.ts'));
  report(ownErrors.length === 0, `the declarations type-check without skipLibCheck${lines(ownErrors)}`);
  const usual = check(true);
  const figure = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(usual.output)?.[1] ?? '?';
  report(
    usual.code === 0,
    `type-checking a file that imports the root: ${figure('Total time')} in all, ${figure('Check time')} of it checking, ` +
      `${figure('Files')} files, ${figure('Types')} types, ${figure('Memory used')}${usual.code === 0 ? '' : `\n${usual.output}`}`,
  );
}
