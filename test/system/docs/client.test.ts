import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { type Dev, startDev } from '../../support/dev.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const SEED = newSeedHex();

let folder: string;
let dev: Dev;
beforeAll(async () => {
  // Inside of the checkout, so that the package is found.
  folder = await mkdtemp(join(ROOT, '.tutorial-client-'));
  const signer = { signer_did: didOf(SEED), principal_id: 'agent:planner', scopes: ['*'] };
  await writeFile(join(folder, 'signers.json'), JSON.stringify([signer]), { mode: 0o600 });
  dev = await startDev({ env: { AIP_GATEWAY_TRUSTED_SIGNER_FILE: join(folder, 'signers.json') } });
});
afterAll(async () => {
  await dev?.stop();
  await rm(folder, { recursive: true, force: true });
});

const didOf = (seed: string): string => signingKeyFromSeed(seed).did;

const signing = (gatewayDid: string) => ({ AIP_SEED: SEED, AIP_GATEWAY_DID: gatewayDid });

/** The programs of the page and the lines that each prints. */
async function examples(): Promise<{ file: string; program: string; expected: string[] }[]> {
  const text = await readFile(join(ROOT, 'docs', 'client.md'), 'utf8');
  const found = text.matchAll(/^```ts file=(\S+)\n(.*?)^```\n\n```text expect\n(.*?)^```$/gms);
  return [...found].map(([, file = '', program = '', expected = '']) => ({
    file,
    program,
    expected: expected.trim().split('\n'),
  }));
}

function run(file: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [join(folder, file)], {
    env: { ...process.env, AIP_GATEWAY_URL: dev.ready.gateway_url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  return new Promise((done) => child.once('close', () => done(output)));
}

test('every program of the client page runs as printed and prints what the page shows', async () => {
  const found = await examples();
  expect(found.map(({ file }) => file)).toEqual(['submit.ts', 'follow.ts', 'read.ts', 'errors.ts', 'sign.ts']);
  for (const { file, program, expected } of found) {
    await writeFile(join(folder, file), program);
    const output = await run(file, file === 'sign.ts' ? signing(dev.ready.gateway.did) : { AIP_TOKEN: dev.token });
    for (const line of expected) expect(output.split('\n'), `${file} printed:\n${output}`).toContain(line);
  }
});

test('an answer of a gateway that signs with another DID is refused', async () => {
  const program = (await examples()).find(({ file }) => file === 'sign.ts')?.program as string;
  await writeFile(join(folder, 'refused.ts'), program);
  const output = await run('refused.ts', signing(didOf(newSeedHex())));
  expect(output).toContain('AnswerInvalid');
  expect(output).toContain('signed with a DID that is not trusted');
});
