import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';
import { type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

const ID = 'act_018f3c0e6b7a7c1d9e2f001122330301';
const HALF = 4 * 1024 * 1024;
const RESULT = JSON.stringify({ action_id: ID, status: 'completed', output: 'x'.repeat(2 * HALF) });

let folder: string;
let server: ScriptedGateway | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-result-'));
});
afterEach(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const sizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

test('a result of 8 MiB is in the file as far as the gateway has sent it, and the file appears when it is complete', async () => {
  const file = join(folder, 'result.json');
  let writtenBeforeTheEnd = 0;
  server = await scriptedGateway(async (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(RESULT.slice(0, HALF));
    // The second half is sent only once the first one is on the disk, so the program cannot wait for all of it.
    await until('the first half is on the disk', async () => (await sizeOf(`${file}.part`)) >= HALF);
    writtenBeforeTheEnd = await sizeOf(file);
    response.end(RESULT.slice(HALF));
  });
  const run = await runCli(['actions', 'result', ID, '--output-file', file, '--gateway', server.url]);
  expect(run.stderr).toContain(`${RESULT.length} bytes`);
  expect(run.code).toBe(0);
  expect(writtenBeforeTheEnd).toBe(0);
  expect(await readFile(file, 'utf8')).toBe(RESULT);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a result that breaks off leaves no file', async () => {
  const file = join(folder, 'result.json');
  server = await scriptedGateway((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': RESULT.length });
    response.write(RESULT.slice(0, HALF), () => response.destroy());
  });
  const run = await runCli(['actions', 'result', ID, '--output-file', file, '--gateway', server.url]);
  expect(run.code).not.toBe(0);
  expect(await sizeOf(file)).toBe(0);
  expect(await sizeOf(`${file}.part`)).toBe(0);
});
