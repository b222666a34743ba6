import { parseArgs } from 'node:util';
import { faultRun } from '../test/system/fault/run.ts';

/**
 * `npm run test:fault [-- --seed N --seconds S]`: kills programs of a fleet under load, then checks. Prints the seed, each killing and each
 * check; closes with `N passed, N failed`. Exit code 1 when a check failed.
 */
const { values } = parseArgs({ options: { seed: { type: 'string' }, seconds: { type: 'string', default: '60' } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const seconds = Number(values.seconds);
if (!Number.isSafeInteger(seed) || seed < 0 || !(seconds >= 1)) {
  process.stderr.write('usage: npm run test:fault -- [--seed N] [--seconds S]\n');
  process.exit(2);
}
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}, ${seconds} s (repeat with: npm run test:fault -- --seed ${seed} --seconds ${seconds})`);
const { checks } = await faultRun({ seed, seconds, say });
for (const { name, looked, problems } of checks) {
  say(`${problems.length === 0 ? 'pass' : 'FAIL'}  ${name} (${looked} checked)`);
  for (const problem of problems.slice(0, 5)) say(`      ${problem}`);
  if (problems.length > 5) say(`      and ${problems.length - 5} more`);
}
const failed = checks.filter(({ problems }) => problems.length > 0).length;
say(`\n${checks.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
