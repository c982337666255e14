/** Runs the check whose name is the first argument, in this process, which has to end by itself. */
import { writeSync } from 'node:fs';
import { checks } from './checks.ts';

const [, , name] = process.argv;
const check = checks.find((one) => one.name === name);
try {
  if (check === undefined) throw new Error(`there is no check "${name}"`);
  await check.run();
} catch (error) {
  writeSync(2, `${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
