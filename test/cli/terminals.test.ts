import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureHostDatabase, retainHostDatabase } from '#controller/fleet/host-database.js';
import { freePorts } from '#controller/local/process/ports.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import type { Handshake } from '#runtime/protocol/types.js';
import { delivery } from '../runtime/host/webhook/support/webhook-host.ts';
import { type Dev, startDev } from '../support/dev.ts';
import { isOnPath } from '../support/process/on-path.ts';
import { onTerminal, openOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { runCli } from './support/run-cli.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const WIDTHS = [60, 100, 200];
/** One run in a pipe, and one on a terminal of each width. */
const RUNS = 1 + WIDTHS.length;

let dev: Dev;
let folder: string;
let ended: string;
let approvals: string[];
let sessions: string[];
let tokens: string[];
let env: Record<string, string>;

const file = (name: string): string => join(folder, name);
const onDev = (...args: string[]): string[] => [...args, '--data', dev.dataDir];
const json = async <T>(...args: string[]): Promise<T> => (await runCli([...onDev(...args), '--json'])).json() as T;

async function openSession(): Promise<string> {
  const client = { id: 'human:operator:demo', kind: 'human' } as const;
  const handshake: Handshake = { client, purpose: 'terminals', profiles: ['aip.native.http.v1'] };
  const answer = await fetch(`${dev.ready.gateway_url}/aip/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dev.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(newEnvelope({ handshake }, {}, { clock: Date.now })),
  });
  const { body } = (await answer.json()) as { body: { handshake_response: { session_id: string } } };
  return body.handshake_response.session_id;
}

async function newApproval(order: string): Promise<string> {
  const input = JSON.stringify({ order, amount_minor: 100, currency: 'EUR' });
  const submitted = ['actions', 'submit', 'cap:demo:refund', '--input', input, '--idempotency-key', order];
  const { action_id: id } = await json<{ action_id: string }>(...submitted);
  return (await json<{ approval_id: string }>('actions', 'get', id)).approval_id;
}

async function newToken(principal: string): Promise<string> {
  const created = ['tokens', 'create', '--tenant', 'demo', '--scopes', 'action:read', '--principal', principal];
  await json(...created);
  const { tokens: all } = await json<{ tokens: { id: string; principal_id: string }[] }>('tokens', 'list');
  return all.find(({ principal_id }) => principal_id === principal)?.id as string;
}

/** The demo, and a connector that takes webhooks. */
async function withChatwoot(): Promise<string> {
  const [port] = await freePorts(1);
  const [demo, chatwoot] = await Promise.all(
    ['demo.yaml', 'chatwoot.yaml'].map((name) => readFile(join(ROOT, 'examples', name), 'utf8')),
  );
  return `${demo}\n---\n${chatwoot?.replace('http://127.0.0.1:4220', `http://127.0.0.1:${port}`)}`;
}

/** What an instance that was removed leaves in the database, and the command that drops it. */
async function removedDatabase(n: number): Promise<string[]> {
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  const uid = `left-${process.pid}-${n}`;
  await ensureHostDatabase(pool, { url: dev.ready.database_url }, uid, 'ab'.repeat(24));
  await retainHostDatabase(pool, uid).finally(() => pool.close());
  return onDev('fleet', 'prune', '--yes');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-terminals-'));
  env = { AIP_CONFIG: file('contexts.yaml'), XDG_STATE_HOME: file('state') };
  dev = await startDev({ documents: await withChatwoot(), args: ['--with-simulators'] });
  await writeFile(file('delivery.json'), JSON.stringify(delivery()));
  await writeFile(file('secret'), '0123456789abcdef');
  ended = (await json<{ action_id: string }>('actions', 'submit', 'cap:demo:echo', '--input', '{"text":"x"}'))
    .action_id;
  const each = async <T>(make: (n: number) => Promise<T>): Promise<T[]> => {
    const made: T[] = [];
    for (let n = 0; n < RUNS; n += 1) made.push(await make(n));
    return made;
  };
  approvals = await each((n) => newApproval(`approve-${n}`));
  approvals.push(...(await each((n) => newApproval(`deny-${n}`))));
  sessions = await each(openSession);
  tokens = await each((n) => newToken(`agent:reader-${n}`));
  await runCli(onDev('receipts', 'get', ended, '--output-file', file('receipts.json')));
  await runCli(['keys', 'generate', '--output-file', file('agent.seed')]);
  for (let n = 0; n < RUNS; n += 1) await mkdir(file(`left-${n}`), { mode: 0o700 });
  for (const name of ['kept', 'shown']) await runCli(contextAdd(name), { env });
});
afterAll(async () => {
  await dev?.stop();
  await rm(folder, { recursive: true, force: true });
});

const contextAdd = (name: string): string[] => [
  ...['context', 'add', name, '--gateway', dev.ready.gateway_url, '--token-file', dev.ready.token_file],
];
const replica = (): string => {
  const demo = dev.ready.instances.find(({ name: instance }) => instance === 'demo');
  const [, name = ''] = /^crepl_default\.([^.]+)\./.exec(demo?.replicas[1]?.replica_id ?? '') ?? [];
  return name;
};

interface Row {
  /** A run that works, and what its screen holds; `n` is another one for each run. */
  works?: [args: (n: number) => string[] | Promise<string[]>, expected: RegExp] | undefined;
  /** A run that fails, its exit code, and what it says. */
  fails: [args: () => string[], code: number, expected: RegExp];
}

/** Every command that does something, or has nothing to read from a gateway. */
const COMMANDS: Record<string, Row> = {
  'actions cancel': {
    works: [() => onDev('actions', 'cancel', ended), /already ended/],
    fails: [() => onDev('actions', 'cancel', 'act_zzz'), 2, /There is no action act_zzz/],
  },
  'actions follow': {
    works: [() => onDev('actions', 'follow', ended), /completed/],
    fails: [() => onDev('actions', 'follow', 'act_zzz'), 2, /There is no action act_zzz/],
  },
  'actions list': {
    works: [() => onDev('actions', 'list', '--limit', '5'), /^ACTION +CAPABILITY +STATE +AGE/m],
    fails: [() => onDev('actions', 'list', '--cursor', 'nonsense'), 1, /cursor/],
  },
  'actions submit': {
    works: [() => onDev('actions', 'submit', 'cap:demo:echo', '--input', '{"text":"hello"}'), /completed act_/],
    fails: [() => onDev('actions', 'submit', 'cap:demo:echo', '--input', '{'), 2, /is not JSON/],
  },
  api: {
    works: [() => onDev('api', 'GET', '/aip/v1/health'), /software_version/],
    fails: [() => onDev('api', 'PUT', '/'), 2, /PUT/],
  },
  'approvals approve': {
    works: [(n) => onDev('approvals', 'approve', approvals[n] as string, '--yes'), /approved appr_/],
    fails: [() => onDev('approvals', 'approve', 'appr_zzz', '--yes'), 2, /There is no approval appr_zzz/],
  },
  'approvals deny': {
    works: [(n) => onDev('approvals', 'deny', approvals[RUNS + n] as string, '--yes'), /denied appr_/],
    fails: [() => onDev('approvals', 'deny', 'appr_zzz', '--yes'), 2, /There is no approval appr_zzz/],
  },
  completion: {
    works: [() => ['completion', 'bash'], /_aip/],
    fails: [() => ['completion', 'tcsh'], 2, /tcsh/],
  },
  'connector init': {
    works: [(n) => ['connector', 'init', file(`connector-${n}`)], /connector-\d/],
    fails: [() => ['connector', 'init', ROOT], 2, /not empty|exists/],
  },
  'context add': {
    works: [(n) => contextAdd(`added-${n}`), /added-\d/],
    fails: [() => contextAdd('kept'), 2, /kept/],
  },
  'context remove': {
    works: [(n) => ['context', 'remove', `added-${n}`], /added-\d/],
    fails: [() => ['context', 'remove', 'nowhere'], 2, /no context/],
  },
  'context set': {
    works: [() => ['context', 'set', 'kept', '--tenant', 'demo'], /kept/],
    fails: [() => ['context', 'set', 'nowhere', '--tenant', 'demo'], 2, /no context/],
  },
  'context show': {
    works: [() => ['context', 'show', 'shown'], /http:\/\/127\.0\.0\.1/],
    fails: [() => ['context', 'show', 'nowhere'], 2, /no context/],
  },
  'context use': {
    works: [() => ['context', 'use', 'kept'], /kept/],
    fails: [() => ['context', 'use', 'nowhere'], 2, /no context/],
  },
  dev: { fails: [() => ['dev', '-f', '/nowhere.yaml', '--data', file('never')], 2, /no such file/] },
  'dev apply': {
    works: [() => onDev('dev', 'apply', '-f', join(ROOT, 'examples', 'demo.yaml')), /demo: .*ready/],
    fails: [() => onDev('dev', 'apply', '-f', '/nowhere.yaml'), 2, /no such file/],
  },
  'dev psql': {
    works: isOnPath('psql')
      ? [() => ['dev', 'psql', '--data', dev.dataDir, '--', '-Atc', 'select 6 * 7'], /^42$/m]
      : undefined,
    fails: [() => ['dev', 'psql', '--data', file('never')], 7, /aip dev/],
  },
  'dev reset': {
    works: [(n) => ['dev', 'reset', '--data', file(`left-${n}`), '--yes'], /Emptied/],
    fails: [() => onDev('dev', 'reset', '--yes'), 2, /dev stop/],
  },
  'dev stop': { fails: [() => ['dev', 'stop', '--data', file('never')], 7, /aip dev/] },
  doctor: {
    works: [() => onDev('doctor'), /✓ gateway/],
    fails: [() => ['doctor', '--data', file('never')], 1, /aip dev --demo/],
  },
  'fleet drain': {
    works: [() => onDev('fleet', 'drain', replica()), /is drained/],
    fails: [() => onDev('fleet', 'drain', 'nothing'), 2, /There is no replica nothing/],
  },
  'fleet prune': {
    works: [removedDatabase, /✓ Dropped h\w+/],
    fails: [() => ['fleet', 'prune', '--data', file('never')], 2, /aip dev|AIP_REGISTRY_URL/],
  },
  'fleet resume': {
    works: [() => onDev('fleet', 'resume', replica()), /is resumed/],
    fails: [() => onDev('fleet', 'resume', 'nothing'), 2, /There is no replica nothing/],
  },
  'fleet rollback': { fails: [() => ['fleet', 'rollback', 'demo', '--context', 'kept'], 2, /cluster/] },
  help: {
    works: [() => ['help', 'actions', 'submit'], /--idempotency-key/],
    fails: [() => ['help', 'nothing'], 2, /no command/],
  },
  'keys did': {
    works: [() => ['keys', 'did', file('agent.seed')], /did:key:z6Mk/],
    fails: [() => ['keys', 'did', file('nothing')], 2, /nothing/],
  },
  'keys generate': {
    works: [(n) => ['keys', 'generate', '--output-file', file(`${n}.seed`)], /did:key:z6Mk/],
    fails: [() => ['keys', 'generate', '--output-file', file('agent.seed')], 2, /agent\.seed/],
  },
  'receipts verify': {
    works: [() => ['receipts', 'verify', file('receipts.json')], /chain verified/],
    fails: [() => ['receipts', 'verify', file('nothing')], 2, /can't be read/],
  },
  'sessions close': {
    works: [(n) => onDev('sessions', 'close', sessions[n] as string), /cancelled sess_/],
    fails: [() => onDev('sessions', 'close', 'sess_zzz'), 2, /There is no session sess_zzz/],
  },
  'tokens create': {
    works: [() => onDev('tokens', 'create', '--tenant', 'demo', '--scopes', 'action:read'), /\w{20}/],
    fails: [() => onDev('tokens', 'create', '--scopes', 'action:read'), 2, /--tenant/],
  },
  'tokens revoke': {
    works: [(n) => onDev('tokens', 'revoke', tokens[n] as string, '--yes'), /agent:reader-\d/],
    fails: [() => onDev('tokens', 'revoke', 'agent:nobody', '--yes'), 2, /There is no token agent:nobody/],
  },
  'trust rotate': { fails: [() => ['trust', 'rotate', 'gateway', '--context', 'kept'], 2, /cluster/] },
  'trust status': { fails: [() => ['trust', 'status', '--context', 'kept'], 2, /cluster/] },
  'webhooks send': {
    works: [
      () => onDev('webhooks', 'send', file('delivery.json'), '--secret-file', file('secret'), '--instance', 'chatwoot'),
      /accepted as one event \(centrally_acknowledged\)/,
    ],
    fails: [
      () => onDev('webhooks', 'send', file('nothing'), '--secret-file', file('agent.seed'), '--instance', 'demo'),
      2,
      /nothing|demo/,
    ],
  },
};

/** What a screen says, wherever the terminal broke its lines. */
const joined = (lines: readonly string[]): string => lines.map((line) => line.trim()).join(' ');

const WORKING = Object.entries(COMMANDS).flatMap(([name, { works }]) => (works ? [[name, ...works] as const] : []));

describe.each(WORKING)('aip %s', (_, args, expected) => {
  test('works in a pipe, without colours', async () => {
    const run = await runCli(await args(0), { env });
    expect(run.stdout, run.stderr).toMatch(expected);
    expect(run.stdout).not.toContain('\u001b');
    expect(run.code).toBe(0);
  });

  test('works on terminals of 60, 100 and 200 columns', async () => {
    for (const [at, columns] of WIDTHS.entries()) {
      const { screen, lines, code } = await onTerminal(await args(at + 1), { columns, rows: 300, env });
      expect(`${screen}\n${joined(lines)}`).toMatch(expected);
      expect(code, screen).toBe(0);
    }
  });
});

describe.each(Object.entries(COMMANDS))('aip %s', (_, { fails }) => {
  test('fails in a pipe with what to do on standard error', async () => {
    const [args, code, expected] = fails;
    const run = await runCli(args(), { env });
    expect(run.stdout + run.stderr).toMatch(expected);
    expect(run.code).toBe(code);
  });

  test('fails on terminals of 60, 100 and 200 columns with the same words', async () => {
    const [args, code, expected] = fails;
    for (const columns of WIDTHS) {
      const { lines, screen, code: ended } = await onTerminal(args(), { columns, rows: 300, env });
      expect(`${screen}\n${joined(lines)}`).toMatch(expected);
      expect(ended).toBe(code);
    }
  });
});

test.each(WIDTHS)('aip events follow shows what comes within %d columns, until Ctrl-C', async (columns) => {
  const terminal = openOnTerminal(onDev('events', 'follow', '--since', '1h'), { columns, rows: 300 });
  await until('an event is shown', () => terminal.screen().includes('aip.action.result'));
  terminal.interrupt();
  const { lines, code } = await terminal.ended;
  expect(code).toBe(130);
  // The terminal shows the key that was typed.
  for (const line of lines.map((text) => text.replace('^C', '')))
    expect(line.length, line).toBeLessThanOrEqual(columns);
});

test.each(WIDTHS)('aip dev stop ends a fleet from a terminal of %d columns', async (columns) => {
  const other = await startDev();
  const { screen, code } = await onTerminal(['dev', 'stop', '--data', other.dataDir], { columns });
  expect(code, screen).toBe(0);
  expect(await other.stop()).toBe(0);
});

test('every command has a row here or among those that read', async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'cli', 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { hidden?: boolean }>;
  };
  const reading = await readFile(join(import.meta.dirname, 'records', 'records.test.ts'), 'utf8');
  const names = Object.entries(manifest.commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([id]) => id.replaceAll(':', ' '));
  expect(names.length).toBeGreaterThan(60);
  const missing = names.filter((name) => !COMMANDS[name] && !reading.includes(`['${name}', () => [`));
  expect(missing).toEqual(['events follow']);
  // What needs a cluster succeeds in test/system/kube/cli; a whole `aip dev` and its end have tests of their own.
  const onCluster = await readFile(join(ROOT, 'test', 'system', 'kube', 'cli', 'cli.test.ts'), 'utf8');
  const unproven = Object.keys(COMMANDS).filter(
    (name) => !COMMANDS[name]?.works && !onCluster.includes(`'${name}',\n`) && !onCluster.includes(`['${name}', `),
  );
  expect(unproven).toEqual(['dev', ...(isOnPath('psql') ? [] : ['dev psql']), 'dev stop']);
});
