import { report, repository, run, tool } from './package-report.ts';

export function checkLinters(tarball: string): void {
  const publint = run(process.execPath, [tool('publint', 'publint'), 'run', tarball, '--strict'], repository);
  report(publint.code === 0, `publint: ${publint.output}`);
  const attw = run(
    process.execPath,
    [tool('@arethetypeswrong/cli', 'attw'), tarball, '--profile', 'esm-only', '--no-emoji'],
    repository,
  );
  report(attw.code === 0, `are-the-types-wrong --profile esm-only${attw.code === 0 ? '' : `:\n${attw.output}`}`);
}
