import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  openChild,
  SchemaCheckTooCostly,
  type SchemaProcess,
  schemaProcess,
} from '#runtime/registry/contracts/schema-process.js';
import { until } from '../../support/until.ts';

const check = { digest: 'any', schema: () => '{"type":"string"}', value: '"text"', compileMs: 60_000, checkMs: 60_000 };
/** Runs the check of its argument, and prints the process id of what runs it. */
const PROGRAM = join(import.meta.dirname, 'support', 'schema-program.ts');
/** A check that does not end by itself. */
const stuck = {
  ...check,
  digest: 'stuck',
  schema: () => '{"type":"string","pattern":"^(a+)+$"}',
  value: JSON.stringify(`${'a'.repeat(60)}!`),
};

const children: ChildProcess[] = [];
let checker: SchemaProcess;
beforeEach(() => {
  checker = schemaProcess(() => {
    const child = openChild();
    children.push(child);
    return child;
  });
});
const last = (): ChildProcess => children.at(-1) as ChildProcess;
afterEach(() => checker.close());

test('a process that ended while it had no check is replaced by the next one, which gets the schema again', async () => {
  expect(await checker.run(check)).toEqual([]);
  const first = last();
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await checker.run(check)).toEqual([]);
  expect(last()).not.toBe(first);
});

test('a process whose check took too long is ended', async () => {
  await expect(checker.run({ ...stuck, checkMs: 1 })).rejects.toThrow(SchemaCheckTooCostly);
  if (last().exitCode === null && last().signalCode === null) await once(last(), 'exit');
  expect(await checker.run(check)).toEqual([]);
});

test('a process that fails after its check was given up does not end the program', async () => {
  await expect(checker.run({ ...stuck, checkMs: 1 })).rejects.toThrow(SchemaCheckTooCostly);
  expect(() => last().emit('error', new Error('EPIPE'))).not.toThrow();
});

test('a process that ends during a check after others, as when those took the memory, is replaced and the check repeated', async () => {
  expect(await checker.run(check)).toEqual([]);
  const first = last();
  first.kill('SIGSTOP');
  const repeated = checker.run({ ...check, value: '1' });
  first.kill('SIGKILL');
  expect(await repeated).toMatchObject([{ message: 'must be string' }]);
  expect(last()).not.toBe(first);
});

test('a process that ends during its first check refuses that check alone', async () => {
  const refused = checker.run(stuck).catch((error: unknown) => error);
  last().kill('SIGKILL');
  expect(await refused).toBeInstanceOf(SchemaCheckTooCostly);
  expect(await checker.run(check)).toEqual([]);
});

test('a process that cannot be started fails the check without blaming the schema', async () => {
  const broken = schemaProcess(() => spawn('/nowhere/node', { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
  const failure = await broken.run(check).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'ENOENT' });
  await broken.close();
});

test('it has no environment, and continues when a terminal or an operator ends the program’s group', async () => {
  expect(await checker.run(check)).toEqual([]);
  expect(await readFile(`/proc/${last().pid}/environ`, 'utf8')).not.toMatch(/PATH|AIP_/);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) last().kill(signal);
  const first = last();
  expect(await checker.run(check)).toEqual([]);
  expect(last()).toBe(first);
});

test('once closed, it ends the check that runs and starts no other', async () => {
  expect(await checker.run(check)).toEqual([]);
  const ended = checker.run(stuck).catch((error: unknown) => error);
  await checker.close();
  expect(await ended).toBeInstanceOf(SchemaCheckTooCostly);
  const started = children.length;
  await expect(checker.run(check)).rejects.toThrow('closed');
  expect(children).toHaveLength(started);
});

test('it ends with its program, also in the middle of a check', async () => {
  const program = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...stuck, schema: stuck.schema() })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(program.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  await until('the check takes time', async () => (await cpuTicksOf(pid)) > 20);
  program.kill('SIGKILL');
  expect(await until('the process has ended', () => !existsSync(`/proc/${pid}`))).toBe(true);
});

/** CPU time of all threads of a process, in ticks of 10 ms. */
async function cpuTicksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}
