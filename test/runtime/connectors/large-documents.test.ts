import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import { openApiDocument } from '../../simulators/openapi-document.ts';
import { clientOf, type TestClient } from '../../support/client.ts';
import { CLI, type Dev, startDev } from '../../support/dev.ts';
import { type Simulator, startSimulator } from '../../support/simulator.ts';

const CORE = 'cap:twenty:openapi.core';
const MIB = 1024 * 1024;

let simulator: Simulator;
let dev: Dev;
let client: TestClient;
let folder: string;

beforeAll(async () => {
  simulator = await startSimulator('twenty');
  folder = await mkdtemp(join(tmpdir(), 'aip-documents-'));
  const example = await readFile(resolve(import.meta.dirname, '..', '..', '..', 'examples', 'twenty.yaml'), 'utf8');
  dev = await startDev({ documents: example.replace('http://127.0.0.1:4210', simulator.url) });
  client = clientOf(dev);
});
afterAll(async () => {
  await dev?.stop();
  await simulator?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function submit(): Promise<{ id: string; result: ActionResult }> {
  const { id, body } = await client.submit({ capability_id: CORE });
  return { id, result: (body as { body: { action_result: ActionResult } }).body.action_result };
}

/** `aip actions result` into a file; the file's path. */
async function download(id: string): Promise<string> {
  const file = join(folder, `${id}.json`);
  const env = { ...process.env, AIP_TOKEN: dev.token };
  const args = [CLI, 'actions', 'result', id, '--gateway', dev.ready.gateway_url, '--output-file', file];
  await promisify(execFile)(process.execPath, args, { env });
  return file;
}

/** The resident set of a process now, and the most that it ever was, in MiB. */
async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}

function digestOf(parts: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Digest of the text of `body` in a file that holds a result, read in parts. */
async function bodyDigest(file: string, bytes: number): Promise<string> {
  const head = await readFile(file, 'utf8').then((text) => text.slice(0, 400));
  const at = head.indexOf('"body":') + '"body":'.length;
  const hash = createHash('sha256');
  for await (const part of createReadStream(file, { start: at, end: at + bytes - 1 })) hash.update(part as Buffer);
  return hash.digest('hex');
}

test('P-171 part: a document of 60 MiB is read through the CLI, and gateway and host grow by less than 200 MiB each', async () => {
  await download((await submit()).id);
  const [gateway] = await dev.pids('aip-runtime', 'gateway');
  const [host] = await dev.pids('aip-runtime', 'host');
  const before = { gateway: await memoryOf(gateway as number), host: await memoryOf(host as number) };
  const bytes = 60 * MIB;
  await simulator.behave({ bytes, declared: 'none' });
  const { id, result } = await submit();
  expect(result).toMatchObject({ status: 'completed', output: { body: { aip_document: { bytes } } } });
  const file = await download(id);
  const after = { gateway: await memoryOf(gateway as number), host: await memoryOf(host as number) };
  expect(await bodyDigest(file, bytes)).toBe(digestOf(openApiDocument(bytes)));
  for (const name of ['gateway', 'host'] as const) {
    const grown = after[name].peak - before[name].now;
    console.log(
      `${name}: ${before[name].now.toFixed(0)} MiB before, at most ${after[name].peak.toFixed(0)} MiB, grown ${grown.toFixed(0)} MiB`,
    );
    expect(grown).toBeLessThan(200);
  }
});

test('a document of 3 MiB is in the answer itself, one of a byte more beside it, and both are read whole', async () => {
  for (const bytes of [3 * MIB, 3 * MIB + 1]) {
    await simulator.behave({ bytes, declared: 'none' });
    const { id, result } = await submit();
    expect(result.status).toBe('completed');
    const { body } = result.output as { body: Record<string, unknown> };
    const digest = digestOf(openApiDocument(bytes));
    if (bytes === 3 * MIB) expect(body.openapi).toBe('3.1.0');
    else expect(body).toEqual({ aip_document: { digest: `sha256:${digest}`, bytes } });
    const read = JSON.parse(await readFile(await download(id), 'utf8')) as { output: { body: unknown } };
    const whole = JSON.parse(Buffer.concat([...openApiDocument(bytes)]).toString()) as unknown;
    expect(read.output.body).toEqual(whole);
  }
});

test('documents that are JSON but cannot be signed as JSON are passed on as they are', async () => {
  const body = '{"a":1,"a":2,"lone":"\\ud800","big":1e999}';
  await simulator.behave({ body });
  const { id, result } = await submit();
  expect(result.status).toBe('completed');
  expect(await readFile(await download(id), 'utf8')).toContain(`"body":${body}`);
});

test('a large document that is not JSON, or ends too early, is not a document', async () => {
  await simulator.behave({ body: `[${'1,'.repeat(3 * MIB)}]` });
  expect((await submit()).result.error).toMatchObject({ code: 'connector.twenty.invalid_response' });
  await simulator.behave({ bytes: 8 * MIB, cutAfter: 6 * MIB });
  expect((await submit()).result.error).toMatchObject({ code: 'connector.twenty.transport', retryable: true });
});

test('a document of another action cannot be had by naming it', async () => {
  await simulator.behave({ bytes: 4 * MIB });
  const owner = await submit();
  await simulator.behave({ body: JSON.stringify((owner.result.output as { body: unknown }).body) });
  const thief = await submit();
  expect(thief.result.output).toEqual({ ...(owner.result.output as object), provider_request_id: expect.any(String) });
  const file = await readFile(await download(thief.id), 'utf8');
  expect(file.length).toBeLessThan(1000);
});

test('P-171 P-172 a document of the default ceiling of 64 MiB is read; one of a byte more fails with nothing of it', async () => {
  await simulator.behave({ bytes: 64 * MIB });
  const { result } = await submit();
  expect(result).toMatchObject({ status: 'completed', output: { body: { aip_document: { bytes: 64 * MIB } } } });
  await simulator.behave({ bytes: 64 * MIB + 1, declared: 'none' });
  const { id, result: refused } = await submit();
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'connector.twenty.invalid_response' } });
  expect(refused.output).toBeUndefined();
  expect((await client.result(id)).output).toBeUndefined();
});
