import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { type Dev, startDev } from '../support/dev.ts';
import { until } from '../support/until.ts';
import { runCli, startCli } from './support/run-cli.ts';

let dev: Dev;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(async () => {
  await dev?.stop();
});

/** Runs a command against this file's fleet. */
const aip = (args: string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli([...args, '--data', dev.dataDir], options);
const submit = (capability: string, input: unknown, ...more: string[]) =>
  aip(['actions', 'submit', capability, '--json', '--input', JSON.stringify(input), ...more]);

describe('dev.json', () => {
  test('is what --output json printed, but for the password of the database, is private, and names everything', async () => {
    const file = join(dev.dataDir, 'dev.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(dev.ready);
    const url = new URL(dev.ready.database_url);
    expect(url.password).not.toBe('');
    url.password = '***';
    expect(dev.printed).toEqual({ ...dev.ready, database_url: url.href });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Object.keys(dev.ready).sort()).toEqual([
      'control_plane',
      'control_url',
      'database_url',
      'gateway',
      'gateway_url',
      'gateways',
      'instances',
      'instances_ready',
      'instances_total',
      'ready',
      'token_file',
      'trust_domain',
    ]);
    expect(dev.ready).toMatchObject({
      ready: true,
      gateway_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      control_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/aip\/v1\/connector-control$/),
      trust_domain: 'dev.local',
      gateway: { principal_id: 'service:aip-gateway', did: expect.stringMatching(/^did:key:z6Mk/) },
      control_plane: { did: expect.stringMatching(/^did:key:z6Mk/) },
    });
    const [instance, ...others] = dev.ready.instances;
    expect(others).toEqual([]);
    expect(instance).toMatchObject({
      name: 'demo',
      namespace: 'default',
      instance_id: expect.stringMatching(/^cinst_default\.demo\.[0-9a-f]{8}$/),
      version_id: expect.stringMatching(/^cver_[0-9a-f]{32}$/),
      manifest_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      artifact_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      config_revision: 1,
      capability_count: 6,
      tenant_id: 'demo',
    });
    expect(instance?.replicas).toHaveLength(2);
    for (const replica of instance?.replicas ?? [])
      expect(replica).toEqual({
        replica_id: expect.stringMatching(/^crepl_default\.demo-[0-9a-f]{6}-\d\.[0-9a-f]{8}$/),
        endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/aip\/v1\/messages$/),
        did: expect.stringMatching(/^did:key:z6Mk/),
        managed: true,
      });
  });

  test('key seeds are 64 hex digits that only the owner may read', async () => {
    for (const name of ['gateway.seed', 'control-plane.seed']) {
      const file = join(dev.dataDir, 'keys', name);
      expect((await readFile(file, 'utf8')).trim()).toMatch(/^[0-9a-f]{64}$/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });
});

describe('actions', () => {
  test('a sync action is answered with its result', async () => {
    const run = await submit('cap:demo:echo', { text: 'hello' });
    expect(run.json()).toMatchObject({ state: 'completed', result: { status: 'completed' } });
    expect(run.code).toBe(0);
  });

  test('input comes from a file and from standard input too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aip-cli-'));
    const file = join(folder, 'input.json');
    await writeFile(file, '{"text":"from a file"}');
    const fromFile = await aip(['actions', 'submit', 'cap:demo:echo', '--json', '-i', `@${file}`]);
    expect(JSON.stringify(fromFile.json().result)).toContain('from a file');
    const fromInput = await aip(['actions', 'submit', 'cap:demo:echo', '--json', '-i', '-'], {
      input: '{"text":"piped"}',
    });
    expect(JSON.stringify(fromInput.json().result)).toContain('piped');
    await rm(folder, { recursive: true, force: true });
  });

  test('N-379 N-381 a followed stream shows every chunk once and ends with the durable state', async () => {
    const run = await submit('cap:demo:count', { n: 6, interval_ms: 20 }, '--mode', 'streaming', '--follow');
    const lines = run.lines();
    const sequences = lines.flatMap((line) => (line.chunk ? [(line.chunk as { sequence: number }).sequence] : []));
    expect(sequences.length).toBeGreaterThanOrEqual(6);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    expect(lines.at(-1)).toMatchObject({ terminal: true, state: 'completed', result: { output: { count: 6 } } });
    expect(run.code).toBe(0);
  });

  test('the exit code reports the terminal state', async () => {
    const failed = await submit('cap:demo:flaky', { mode: 'permanent' });
    expect(failed.json()).toMatchObject({ state: 'failed' });
    expect(failed.code).toBe(1);
    const dead = await submit('cap:demo:flaky', { mode: 'permanent' }, '--mode', 'async', '--follow');
    expect(dead.lines().at(-1)).toMatchObject({ terminal: true, state: 'dead_lettered' });
    expect(dead.code).toBe(5);
    const refund = { order: 'o-1', amount_minor: 100, currency: 'EUR' };
    const waiting = await submit('cap:demo:refund', refund, '--idempotency-key', 'refund-o-1');
    expect(waiting.json()).toMatchObject({ state: 'pending_approval' });
    expect(waiting.code).toBe(6);
  });

  test('a repeat of an idempotency key is answered with the first action, also where it waits or follows', async () => {
    const key = ['--idempotency-key', 'report-1'];
    const first = await submit('cap:demo:report', { seconds: 0 }, ...key, '--mode', 'async', '--wait');
    const { action_id } = first.json();
    for (const more of [[], ['--mode', 'async', '--wait'], ['--follow']]) {
      const again = await submit('cap:demo:report', { seconds: 0 }, ...key, ...more);
      expect([again.lines().at(-1), again.code]).toMatchObject([{ action_id, state: 'completed' }, 0]);
    }
    const refund = { order: 'o-2', amount_minor: 100, currency: 'EUR' };
    const waiting = await submit('cap:demo:refund', refund, '--idempotency-key', 'refund-o-2');
    const args = ['--input', JSON.stringify(refund), '--idempotency-key', 'refund-o-2', '--follow'];
    const followed = await aip(['actions', 'submit', 'cap:demo:refund', ...args]);
    expect([followed.code, followed.stdout]).toEqual([
      6,
      expect.stringContaining(`pending_approval ${waiting.json().action_id}`),
    ]);
    expect(followed.stdout).toMatch(/It waits for a person: .*aip approvals approve appr_/);
  });

  test('an action runs in the tenant that is named, or not at all', async () => {
    expect((await submit('cap:demo:echo', { text: 'x' }, '--tenant', 'demo')).json()).toMatchObject({
      state: 'completed',
    });
    const other = await submit('cap:demo:echo', { text: 'x' }, '--tenant', 'globex');
    const error = { code: 'auth.tenant_mismatch' };
    expect([other.code, other.json()]).toMatchObject([8, { error, advice: expect.stringContaining('--token-file') }]);
  });

  test('Ctrl-C leaves a submit with the id of its action, which continues', async () => {
    const id = newId('action');
    const input = ['--input', '{"seconds":2}', '--mode', 'sync', '--id', id];
    const submitting = startCli(['actions', 'submit', 'cap:demo:report', ...input, '--data', dev.dataDir]);
    await until('it runs', async () => (await aip(['actions', 'get', id, '--json'])).code === 0);
    const { code, stderr } = await submitting.stop();
    expect([code, stderr]).toEqual([130, expect.stringContaining(`aip actions follow ${id}`)]);
    expect((await aip(['actions', 'follow', id])).code).toBe(0);
  });

  test('a followed action streams where its capability can', async () => {
    const run = await submit('cap:demo:count', { n: 3, interval_ms: 10 }, '--follow');
    expect(run.lines().filter((line) => line.chunk)).toHaveLength(4);
    const plain = await submit('cap:demo:echo', { text: 'x' }, '--follow');
    expect(plain.lines().at(-1)).toMatchObject({ terminal: true, state: 'completed' });
  });

  test('an action is cancelled, and its follower ends with that', async () => {
    const submitted = await submit('cap:demo:report', { seconds: 60 }, '--mode', 'async');
    const id = submitted.json().action_id as string;
    expect(submitted.code).toBe(0);
    const early = await aip(['actions', 'result', id, '--json']);
    expect(early.code).toBe(1);
    expect(early.json()).toMatchObject({ error: { code: 'action.result_not_ready' } });
    const following = aip(['actions', 'follow', id, '--json']);
    await until('it runs', async () => (await aip(['actions', 'get', id, '--json'])).json().state === 'running');
    const cancelled = await aip(['actions', 'cancel', id, '--reason', 'not needed', '--json']);
    expect(cancelled.code).toBe(0);
    const followed = await following;
    expect(followed.lines().at(-1)).toMatchObject({ terminal: true, action_id: id, state: 'cancelled' });
    expect(followed.code).toBe(3);
    expect((await aip(['actions', 'get', id])).code).toBe(0);
    expect((await aip(['actions', 'get', id, '--exit-status'])).code).toBe(3);
  });

  test('get, result and list show an ended action; its receipts verify', async () => {
    const id = (await submit('cap:demo:echo', { text: 'again' })).json().action_id as string;
    expect((await aip(['actions', 'get', id, '--json', '--receipts'])).json()).toMatchObject({
      action_id: id,
      state: 'completed',
      receipts_verified: true,
    });
    const shown = await aip(['actions', 'get', id, '--receipts']);
    expect(shown.stdout).toContain('chain verified');
    expect((await aip(['actions', 'result', id, '--json'])).json()).toMatchObject({
      action_id: id,
      status: 'completed',
    });
    const page = (
      await aip(['actions', 'list', '--json', '--capability', 'cap:demo:echo', '--state', 'completed'])
    ).json();
    expect((page.actions as { action_id: string }[]).map((action) => action.action_id)).toContain(id);
    const first = (await aip(['actions', 'list', '--json', '--limit', '1'])).json() as {
      actions: object[];
      cursor: string;
    };
    expect(first.actions).toHaveLength(1);
    const second = (await aip(['actions', 'list', '--json', '--limit', '1', '--cursor', first.cursor])).json();
    expect(second.actions).not.toEqual(first.actions);
  });

  test('the result of a failed action is a result, not a refusal of the gateway', async () => {
    const { action_id: id } = (await submit('cap:demo:flaky', { mode: 'permanent' }, '--mode', 'async')).json();
    await aip(['actions', 'follow', id as string]);
    const result = await aip(['actions', 'result', id as string, '--json']);
    expect(result.json()).toMatchObject({ action_id: id, status: 'failed', error: { code: expect.any(String) } });
    expect(result.code).toBe(5);
    const shown = await aip(['actions', 'result', id as string]);
    expect(shown.stdout).toContain(`dead_lettered ${id}`);
    expect(shown.stderr).toBe('');
    const cancelled = await aip(['actions', 'cancel', id as string, '--json']);
    expect(cancelled.json()).toMatchObject({ action_id: id, status: 'failed' });
  });

  test('what is wrong is reported with code and advice, on one line of JSON or in words', async () => {
    const wrongId = await aip(['actions', 'get', 'msg_1']);
    expect(wrongId.code).toBe(2);
    expect(wrongId.stderr).toContain('begin with act_');
    const unknown = await submit('cap:demo:nothing', {});
    expect(unknown.code).not.toBe(0);
    expect(JSON.stringify(unknown.json())).toMatch(/"code":"[a-z_]+\.[a-z_]+"/);
    const badInput = await aip(['actions', 'submit', 'cap:demo:echo', '--input', '{']);
    expect(badInput.code).toBe(2);
    expect(badInput.stderr).toContain('is not JSON');
    const nobody = await runCli(['actions', 'list', '--gateway', 'http://127.0.0.1:9', '--json']);
    expect(nobody.code).toBe(7);
    expect(nobody.json()).toMatchObject({ error: { code: 'client.unreachable', advice: expect.any(String) } });
  });
});

test('a refused input is answered with every place that is wrong and what is wrong there', async () => {
  const run = await aip(['actions', 'submit', 'cap:demo:count', '--input', '{"m":1}']);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('action.input_schema_invalid');
  expect(run.stdout).toContain('input lacks the required member n');
  expect(run.stdout).toContain('input has the unknown member "m"');
});

test('capabilities lists what the tenant may call', async () => {
  const page = (await aip(['capabilities', '--json'])).json() as {
    capabilities: { capability: { id: string } }[];
    total: number;
  };
  expect(page.total).toBe(6);
  expect(page.capabilities.map((row) => row.capability.id)).toContain('cap:demo:count');
  expect((await aip(['capabilities', '--text', 'REPORT'])).stdout).toContain('cap:demo:report');
});

test('fleet status shows each replica with state, lease, load, version, endpoint and key', async () => {
  const { replicas } = (await aip(['fleet', 'status', '--json'])).json() as { replicas: Record<string, unknown>[] };
  expect(replicas.map((row) => row.replica_id).sort()).toEqual(
    dev.ready.instances[0]?.replicas.map((replica) => replica.replica_id).sort(),
  );
  for (const row of replicas) {
    expect(row).toMatchObject({ instance: 'demo', tenant_id: 'demo', state: 'ready', version: '1.0.0', capacity: 32 });
    expect(row.lease_left_ms).toBeGreaterThan(0);
  }
  const shown = await aip(['fleet', 'status']);
  // Two columns are there when a replica failed, and only then.
  const failed = replicas.some(({ circuit_open_ms: open, last_failure: last }) => Number(open) > 0 || last !== null);
  expect(shown.stdout.split('\n')[0]?.split(/ {2,}/)).toEqual([
    ...['INSTANCE', 'REPLICA', 'STATE', 'LEASE', 'LOAD'],
    ...(failed ? ['CIRCUIT', 'LAST FAILURE'] : []),
    ...['VERSION', 'TENANT', 'ENDPOINT', 'DID'],
  ]);
});

test('fleet status --watch reports each replica once, and ends with Ctrl-C', async () => {
  const watching = startCli(['fleet', 'status', '--watch', '--json', '--data', dev.dataDir]);
  await until('both replicas are told', () => watching.lines().length === 2);
  const run = await watching.stop();
  expect(run.code).toBe(130);
  expect(run.lines().map((line) => (line.replica as { state: string }).state)).toEqual(['ready', 'ready']);
  expect((await aip(['fleet', 'status', '--exit-code'])).code).toBe(0);
  expect((await aip(['fleet', 'status', '-n', 'elsewhere', '--json'])).json()).toEqual({ replicas: [], instances: [] });
});

test('fleet describe shows an instance with its replicas and bindings', async () => {
  expect((await aip(['fleet', 'describe', 'demo', '--json'])).json()).toMatchObject({
    kind: 'registry',
    name: 'demo',
    instance_id: dev.ready.instances[0]?.instance_id,
    tenant_id: 'demo',
    config_revision: 1,
    bindings: [{ capabilities: ['*'] }],
    replicas: [{ state: 'ready' }, { state: 'ready' }],
  });
  expect((await aip(['fleet', 'describe', 'default/demo'])).stdout).toMatch(/^CAPABILITIES +PRIORITY/m);
  const unknown = await aip(['fleet', 'describe', 'nothing', '--json']);
  expect(unknown.code).toBe(2);
  expect(unknown.json()).toMatchObject({ error: { advice: expect.stringContaining('aip fleet status') } });
});

test('doctor is content with a running aip dev', async () => {
  const run = await aip(['doctor', '--json']);
  const { ok, findings } = run.json() as { ok: boolean; findings: { check: string; verdict: string }[] };
  expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual([
    'node',
    'contexts',
    'fleet',
    'gateway',
    'database',
    'clock',
    'token',
    'instances',
  ]);
  expect(ok).toBe(true);
  expect(run.code).toBe(0);
});

test('a time below the least of a flag names the flag once, and no bound that there is none of', async () => {
  const { code, stderr } = await aip(['actions', 'submit', 'cap:demo:echo', '--timeout', '0s', '--input', '{}']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--timeout 0s is out of range\.\s+It must be at least 1ms\./),
  ]);
});

test('--kube-context without a kubeconfig reports the missing file', async () => {
  const home = await mkdtemp(join(tmpdir(), 'aip-home-'));
  const { code, stderr } = await runCli(['fleet', 'status', '--kube-context', 'nope'], {
    env: { HOME: home, KUBECONFIG: '', KUBERNETES_SERVICE_HOST: '' },
  });
  await rm(home, { recursive: true });
  expect([code, stderr]).toEqual([2, expect.stringContaining('There is no kubeconfig.')]);
});

test('what works on clusters alone says how to name one', async () => {
  const run = await runCli(['trust', 'status', '--context', 'dev', '--json']);
  expect(run.json()).toMatchObject({ error: { advice: expect.stringContaining('--from-cluster') } });
  expect(run.code).toBe(2);
});

describe('tokens', () => {
  const withToken = (token: string, ...args: string[]) =>
    runCli([...args, '--gateway', dev.ready.gateway_url, '--json'], { env: { AIP_TOKEN: token } });

  test('a new token works within moments, for its scopes alone, and is kept only as a digest', async () => {
    const created = (
      await aip([
        'tokens',
        'create',
        '--tenant',
        'demo',
        '--scopes',
        'action:read',
        '--principal',
        'human:reader',
        '--json',
      ])
    ).json();
    const token = created.token as string;
    expect(created).toMatchObject({ principal_id: 'human:reader', tenant_id: 'demo', scopes: ['action:read'] });
    await until('the gateway knows it', async () => (await withToken(token, 'actions', 'list')).code === 0);
    expect((await withToken(`${token}x`, 'actions', 'list')).json()).toMatchObject({
      error: { code: 'auth.native_http_unauthorized' },
    });
    const file = await readFile(join(dev.dataDir, 'principals.json'), 'utf8');
    expect(file).not.toContain(token);
    expect((await stat(join(dev.dataDir, 'principals.json'))).mode & 0o777).toBe(0o600);
  });

  test('an expired token is refused', async () => {
    const created = (
      await aip(['tokens', 'create', '--tenant', 'demo', '--scopes', 'operator', '--expires-in', '1s', '--json'])
    ).json();
    expect(created.expires_at).toMatch(/Z$/);
    const expiry = Date.parse(created.expires_at as string);
    await until('its time is over', () => Date.now() > expiry + 1100);
    expect((await withToken(created.token as string, 'actions', 'list')).code).toBe(8);
  });

  test('eight at once lose none, with a lock that a crash has left', async () => {
    const file = join(dev.dataDir, 'crashed.json');
    await writeFile(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 - 3, start: '1' }));
    const runs = await Promise.all(
      Array.from({ length: 8 }, () =>
        runCli(['tokens', 'create', '--tenant', 't', '--scopes', 'action:read', '--file', file]),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveLength(8);
    await expect(stat(`${file}.lock`)).rejects.toThrow('ENOENT');
  });

  test('ten at once lose none', async () => {
    const file = join(dev.dataDir, 'others.json');
    await Promise.all(
      Array.from({ length: 10 }, () =>
        runCli(['tokens', 'create', '--tenant', 't', '--scopes', 'action:read', '--file', file]),
      ),
    );
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveLength(10);
  });

  test.each([
    [['--tenant', 't', '--scopes', ' ']],
    [['--tenant', ' ', '--scopes', 'a']],
    [['--tenant', 't', '--scopes', 'a', '--expires-in', 'soon']],
  ])('%s is refused', async (args) => {
    expect((await aip(['tokens', 'create', ...args])).code).toBe(2);
  });
});
