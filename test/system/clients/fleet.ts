import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { startTarget } from '../../runtime/gateway/callbacks/support.ts';
import { type Dev, startDev } from '../../support/dev.ts';

export const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** A fleet with the demo connector, and what a client of it needs. */
export interface ClientFleet {
  readonly dev: Dev;
  /** Address, tokens and signing seed, as the documentation names them. */
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Starts the demo fleet; `agent:signer` of the tenant demo is a trusted signer. */
export async function startClientFleet(): Promise<ClientFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-client-'));
  const seed = newSeedHex();
  const signers = [
    {
      signer_did: signingKeyFromSeed(seed).did,
      principal_id: 'agent:signer',
      tenant_id: 'demo',
      scopes: ['action:read', 'action:write', 'session:read', 'session:write'],
    },
  ];
  await writeFile(join(folder, 'signers.json'), JSON.stringify(signers), { mode: 0o600 });
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  const target = await startTarget();
  const dev = await startDev({
    args: ['--trusted-signers', join(folder, 'signers.json')],
    env: {
      AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
      AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
      AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    },
  });
  const approver = join(dev.dataDir, 'tokens', 'demo.approver');
  const env = {
    ...process.env,
    AIP_GATEWAY_URL: dev.ready.gateway_url,
    AIP_TOKEN: dev.token,
    AIP_APPROVER_TOKEN: (await readFile(approver, 'utf8')).trim(),
    AIP_CALLBACK_URL: target.callback.target,
    AIP_SIGNING_SEED_FILE: join(folder, 'seed'),
    AIP_SIGNING_DID: signingKeyFromSeed(seed).did,
    AIP_GATEWAY_DID: dev.ready.gateway.did,
    AIP_VECTORS: join(ROOT, 'test', 'runtime', 'protocol', 'vectors'),
    PYTHONPATH: join(ROOT, 'clients', 'python', 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const stop = async (): Promise<void> => {
    await dev.stop();
    await target.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { dev, env, stop };
}

/** Runs a program to its end and gives its exit code with all that it printed. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  });
}
