import { expect, test } from 'vitest';
import { faultRun } from './run.ts';

const seed = Number(process.env.AIP_FAULT_SEED ?? Math.floor(Math.random() * 2 ** 32));
const seconds = Number(process.env.AIP_FAULT_SECONDS ?? 20);

test(`N-003 hosts, gateways and PostgreSQL killed at random for ${seconds} s break nothing that was promised (AIP_FAULT_SEED=${seed})`, async () => {
  const report = await faultRun({ seed, seconds, say: (line) => process.stdout.write(`${line}\n`) });
  expect([...new Set(report.killed)]).toEqual(expect.arrayContaining(['host', 'gateway', 'postgres']));
  // The work continues between the killings: most of it comes to its result.
  const accepted = report.sent.filter(({ acknowledged }) => acknowledged).length;
  expect(accepted).toBeGreaterThan(20);
  expect(report.ends.completed ?? 0).toBeGreaterThan(accepted / 2);
  for (const { name, problems } of report.checks) expect([name, problems]).toEqual([name, []]);
}, 600_000);
