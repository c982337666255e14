/**
 * Checks the lock file, and the package as its users get it: packs it, installs the tarball into an empty project, and looks
 * at its size, its doors, its types, its source maps, what importing it costs, whether the first program of the README runs and ends
 * as ES module, as CommonJS and out of four bundlers, and whether tests run on it. Packing builds dist/ again. Needs npm's registry
 * for the bundlers and test runners, which it installs once a machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConsumers } from '../tools/package/consumers.ts';
import { checkDeclarations } from '../tools/package/declarations.ts';
import { checkDoors } from '../tools/package/doors.ts';
import { checkFootprint, checkLockFile, checkSourceMaps, pack } from '../tools/package/footprint.ts';
import { checkImportTime } from '../tools/package/import-time.ts';
import { checkLinters } from '../tools/package/linters.ts';
import { failureCount, need } from '../tools/package/package-report.ts';
import { checkTypeScriptVersions } from '../tools/package/typescript-versions.ts';
import { checkExamples, checkFirstProgram, checkUncaughtError } from '../tools/package/user-programs.ts';

function main(folder: string): void {
  checkLockFile();
  const tarball = pack(folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  need('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], project);
  checkFootprint(project);
  checkSourceMaps(project);
  checkLinters(tarball);
  checkDoors(project);
  checkImportTime(project);
  checkDeclarations(project);
  checkFirstProgram(project);
  checkTypeScriptVersions(project, folder);
  checkUncaughtError(project);
  checkExamples(project);
  checkConsumers(project);
}

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-package-'));
const started = performance.now();
try {
  main(folder);
  console.log(`     in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (failureCount() > 0) throw new Error(`${failureCount()} checks of the package failed.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
