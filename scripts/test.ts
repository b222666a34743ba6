import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RunRecord, requirementsSummary } from '../test/support/run/requirements.ts';
import { findChatwootClient } from './install/chatwoot-client.ts';
import { findNatsServer } from './install/nats-server.ts';
import { findPython } from './install/python-venv.ts';

/**
 * `node scripts/test.ts [FILE…]` runs the suites that need npm alone, or the files named. `--all` runs those of the faults, of Kubernetes and of a
 * whole cluster after them, where a skipped test is a failure. Closes with what failed, how many were skipped, and `N passed, N failed`.
 */
interface Suite {
  readonly name: string;
  readonly config: string;
  readonly command: string;
}

const SUITES: readonly Suite[] = [
  { name: 'unit, contract and integration', config: 'vitest.config.ts', command: 'npm test' },
  { name: 'random faults', config: 'test/system/fault/vitest.config.ts', command: 'npm run test:fault' },
  { name: 'Kubernetes API', config: 'vitest.kube.config.ts', command: 'npm run test:kube' },
  { name: 'cluster', config: 'vitest.e2e.config.ts', command: 'npm run e2e' },
];
const RESULT = 'test-results/run.json';

const all = process.argv.includes('--all');
const files = process.argv.slice(2).filter((arg) => arg !== '--all');
const total: RunRecord = { passed: 0, failed: 0, skipped: 0, failures: [], proved: [] };
let code = 0;
if (files.length === 0) rmSync('test-results/files.json', { force: true });
for (const { name, config } of all ? SUITES : SUITES.slice(0, 1)) {
  if (all) process.stdout.write(`\n== ${name}\n`);
  rmSync(RESULT, { force: true });
  const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...(all ? { AIP_REQUIRE_CLUSTER: '1' } : {}) },
  });
  if (run.status !== 0) code = 1;
  if (!existsSync(RESULT)) {
    total.failed += 1;
    total.failures.push(`${name}: the run ended without a record (exit code ${run.status ?? run.signal})`);
    continue;
  }
  const record = JSON.parse(readFileSync(RESULT, 'utf8')) as RunRecord;
  total.passed += record.passed;
  total.failed += record.failed;
  total.skipped += record.skipped;
  total.failures.push(...record.failures);
  total.proved = [...new Set([...total.proved, ...record.proved])].sort();
  if (record.passed === 0 || (all && record.skipped > 0)) code = 1;
}
writeFileSync(RESULT, `${JSON.stringify(total, null, 2)}\n`);
if (all) process.stdout.write(`\n${requirementsSummary(total.proved, false)}\n`);
else if (files.length === 0)
  for (const { name, command } of SUITES.slice(1)) process.stdout.write(`left out: ${name} (${command})\n`);
if (findNatsServer() === undefined)
  process.stdout.write(
    'skipped: the message broker, since there is no nats-server (node scripts/install/nats-server.ts installs one)\n',
  );
if (findChatwootClient() === undefined)
  process.stdout.write(
    'skipped: the Python client of Chatwoot, since it is not installed (node scripts/install/chatwoot-client.ts installs it)\n',
  );
if (findPython() === undefined)
  process.stdout.write(
    'skipped: the Python client, since python3 with its packages is missing (node scripts/install/python-venv.ts installs them)\n',
  );
if (total.failures.length > 0) process.stdout.write(`\nfailed:\n${total.failures.slice(0, 50).join('\n')}\n`);
if (total.skipped > 0) process.stdout.write(`\n${total.skipped} skipped\n`);
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exit(code);
