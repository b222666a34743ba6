import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANNOTATIONS } from '#controller/api/group.js';
import { KINDS } from '#controller/api/kinds.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import type { KubeObject } from '#controller/kube/kube.js';
import { microTime } from '#controller/kube/micro-time.js';
import { DATA, TRUST_ANNOTATIONS } from '#controller/trust/names.js';
import { changedSecret, type SecretObject, secretText } from '#controller/trust/objects.js';
import { formatTime } from '#runtime/protocol/time.js';
import { type CliRun, runCli, startCli } from '../../../cli/support/run-cli.ts';
import { until } from '../../../support/until.ts';
import { expectStored, fileOf, screensOf, threeHoursLater } from '../../screens/screen.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';
import { established } from '../support/established.ts';
import {
  condition,
  DEADLINE,
  FAILED_AT,
  makeInstance,
  makeReplica,
  STALLED_MESSAGE,
  sampleFleet,
  setStatus,
} from './sample-fleet.ts';
import { GATEWAY_DIDS, makeOperator, makePod, sampleRelease } from './sample-release.ts';

const CRDS = join(import.meta.dirname, '..', '..', '..', '..', 'crds');

let server: ApiServer;
let kube: OpenKube;
let folder: string;
let ca: string;
beforeAll(async () => {
  server = await startApiServer();
  await server.kubectl(['apply', '--filename', CRDS]);
  await established(server);
  kube = await openKube({ kubeconfig: server.kubeconfig });
  folder = await mkdtemp(join(tmpdir(), 'aip-cli-kube-'));
  ({ ca } = await sampleRelease(kube, 'aip', 'aip'));
  await sampleFleet(kube);
  await writeFile(join(folder, 'contexts.yaml'), JSON.stringify({ current: 'here', contexts: [context('here')] }), {
    mode: 0o600,
  });
}, 120_000);
afterAll(async () => {
  await kube?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const context = (name: string, kubeconfig = server.kubeconfig) => ({
  name,
  token: 't',
  kube: { kubeconfig, namespace: 'aip', release: 'aip' },
});

const environment = (file = 'contexts.yaml') => ({
  AIP_CONFIG: join(folder, file),
  KUBECONFIG: server.kubeconfig,
  XDG_STATE_HOME: folder,
});

const aip = (args: string[], file?: string): Promise<CliRun> => runCli(args, { env: environment(file) });

/** A user of the cluster with these rights in all namespaces, by a kubeconfig. */
async function userWith(name: string, rules: object[]): Promise<string> {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  const binding = {
    ...role,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name }],
    rules: undefined,
  };
  await server.kubectl(['apply', '--filename', '-'], JSON.stringify(role));
  await server.kubectl(['apply', '--filename', '-'], JSON.stringify(binding));
  return server.kubeconfigForUser(name);
}

describeKube('aip context add --from-cluster', () => {
  test('says that an instance must be applied first, then takes the one tenant that has instances, then asks to choose', async () => {
    const add = (name: string, ...more: string[]) =>
      aip(['context', 'add', name, '--from-cluster', '--json', ...more], 'made.yaml');
    const none = await add('prod');
    expect(none.code).toBe(1);
    expect(none.json()).toMatchObject({
      error: { code: 'cli.fleet_not_found', advice: expect.stringContaining('ConnectorInstance') },
    });
    const token = await makeOperator(kube, 'aip', 'aip', 'acme');
    expect((await add('prod', '--use')).json()).toMatchObject({
      name: 'prod',
      tenant: 'acme',
      gateway: 'port-forward',
      token: 'stored',
      ca: 'stored',
      kube: { namespace: 'aip', release: 'aip', context: expect.any(String) },
    });
    const file = join(folder, 'made.yaml');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(token);
    await makeOperator(kube, 'aip', 'aip', 'gone');
    expect((await add('prod-again')).json()).toMatchObject({ tenant: 'acme' });
    await makeOperator(kube, 'aip', 'aip', 'globex');
    const several = await add('other');
    expect(several.code).toBe(2);
    expect(several.json()).toMatchObject({ error: { message: expect.stringContaining('2 tenants: acme, globex.') } });
    expect((await add('other', '--tenant', 'globex', '--gateway', 'https://aip.example')).json()).toMatchObject({
      tenant: 'globex',
      gateway: 'https://aip.example',
    });
    expect((await add('third', '--tenant', 'nobody')).json()).toMatchObject({ error: { code: 'cli.fleet_not_found' } });
    expect((await add('third', '--namespace', 'default')).json()).toMatchObject({
      error: { code: 'cli.fleet_not_found', advice: expect.stringContaining('--namespace') },
    });
  });

  test('who may not list Secrets names the tenant, and needs no more than to read one', async () => {
    const kubeconfig = await userWith('reader', [
      { apiGroups: [''], resources: ['secrets', 'configmaps', 'services'], verbs: ['get'] },
    ]);
    const add = (...more: string[]) =>
      aip(['context', 'add', 'mine', '--from-cluster', '--kubeconfig', kubeconfig, '--json', ...more], 'reader.yaml');
    expect((await add()).json()).toMatchObject({
      error: { code: 'cli.right_missing', advice: expect.stringContaining('--tenant') },
    });
    expect((await add('--tenant', 'acme')).json()).toMatchObject({ name: 'mine', tenant: 'acme' });
  });

  test('without a namespace the only release of the cluster is found, of several one has to be chosen', async () => {
    const add = (...more: string[]) =>
      aip(['context', 'add', 'any', '--from-cluster', '--tenant', 'acme', '--replace', '--json', ...more], 'any.yaml');
    expect((await add()).json()).toMatchObject({ kube: { namespace: 'aip', release: 'aip' } });
    await sampleRelease(kube, 'second', 'second');
    const several = await add();
    expect(several.code).toBe(2);
    expect(several.json()).toMatchObject({ error: { message: expect.stringContaining('aip/aip, second/second') } });
    expect((await add('--namespace', 'aip')).json()).toMatchObject({ kube: { namespace: 'aip' } });
  });

  test("a chart's longer names are found by the labels of its gateway Service", async () => {
    await sampleRelease(kube, 'longer', 'sample-aip-fleet');
    await makeOperator(kube, 'longer', 'sample-aip-fleet', 'acme');
    const added = await aip(
      ['context', 'add', 'longer', '--from-cluster', '--namespace', 'longer', '--json'],
      'longer.yaml',
    );
    expect(added.json()).toMatchObject({ kube: { namespace: 'longer', release: 'sample-aip-fleet' } });
  });
});

describeKube('aip fleet', () => {
  test('status shows instances with their replicas, in all namespaces or in one', async () => {
    const { instances } = (await aip(['fleet', 'status', '--json'])).json() as { instances: Record<string, unknown>[] };
    expect(instances.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
      'acme/crm-sync',
      'acme/support',
      'globex/mailer',
      'globex/new-one',
    ]);
    expect(instances[1]).toMatchObject({
      connector: 'chatwoot',
      version: '1.4.0',
      tenant_id: 'acme',
      desired: 2,
      ready: 2,
      status: 'ReplicasReady',
      healthy: true,
      problems: [],
      replicas: [
        { name: 'support-3f2a1c-0', state: 'ready', pod: 'support-3f2a1c-0', version: '1.4.0', capacity: 32 },
        { name: 'support-3f2a1c-1', state: 'ready' },
      ],
    });
    expect(instances[0]).toMatchObject({
      stalled: true,
      draining: 1,
      versions: [
        { version: '2.0.0', pinned_actions: 0, removed_by: null },
        { version: '1.9.0', replicas: 1, draining: 1, pinned_actions: 3, removed_by: DEADLINE },
      ],
      replicas: [
        {
          state: 'draining',
          held: { pinned_actions: 3, removed_by: DEADLINE, counted_at: '2026-01-01T00:00:00Z' },
          desired: 'drained',
          version: '1.9.0',
          wanted_version: '2.0.0',
          circuit: 'open',
          last_failure: { kind: 'unreached', at: FAILED_AT, message: expect.stringContaining('act_1') },
        },
        { state: 'offline', version: '2.0.0', circuit: null, last_failure: null },
      ],
    });
    const one = (await aip(['fleet', 'status', '-n', 'globex', '--json'])).json() as { instances: object[] };
    expect(one.instances).toHaveLength(2);
  });

  test('status reports what is wrong beneath the instance, and by its exit code when asked', async () => {
    const shown = await aip(['fleet', 'status', '--exit-code']);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain(`! stalled: ${STALLED_MESSAGE}`);
    expect(shown.stdout).toContain('! not admitted: the namespace globex may not claim the tenant acme');
    expect(shown.stdout).toMatch(/^ {2}[├└] support-3f2a1c-1 +ready +Pod support-3f2a1c-1 +1\.4\.0 +capacity 32$/m);
    expect(shown.stdout).toMatch(
      /crm-sync-aaaaaa-0 +draining +holds 3 for up to \d+y +circuit open +last failure: unreached \d+\w ago +Pod crm-sync-aaaaaa-0 +1\.9\.0 → 2\.0\.0/,
    );
    const replicas = (await aip(['fleet', 'replicas', '-n', 'acme'])).stdout.split('\n');
    expect(replicas[0]).toMatch(
      /^INSTANCE +REPLICA +STATE +HOLDS +CIRCUIT +LAST FAILURE +VERSION +CAPACITY +POD +MESSAGE$/,
    );
    expect(replicas[1]).toMatch(
      /^crm-sync +crm-sync-aaaaaa-0 +draining +3 for up to \d+y +open +unreached \d+\w ago +1\.9\.0 → 2\.0\.0 +32/,
    );
    expect((await aip(['fleet', 'status'])).code).toBe(0);
  });

  test('status --watch reports each change and what is gone', async () => {
    const at = { namespace: 'default', name: 'watched' };
    const watching = startCli(['fleet', 'status', '--watch', '--json', '-n', 'default'], { env: environment() });
    try {
      await makeInstance(kube, { ...at, tenant: 'acme' }, {});
      await until('it is seen', () => watching.lines().length > 0);
      const ready = [condition('Ready', 'True', 'ReplicasReady')];
      await setStatus(kube, 'connectorInstance', at, { readyReplicas: 2, conditions: ready });
      await makeReplica(kube, { namespace: 'default', name: 'watched-0', instance: 'watched' }, { state: 'Ready' });
      const state = () => watching.lines().at(-1) as { instance?: { ready: number; replicas: object[] } };
      await until('the change is told', () => state().instance?.ready === 2 && state().instance?.replicas.length === 1);
      await kube.delete(KINDS.connectorInstance, at);
      await until('its end is told', () => watching.lines().at(-1)?.removed === 'default/watched');
    } finally {
      expect((await watching.stop()).code).toBe(130);
      await kube.delete(KINDS.connectorReplica, { namespace: 'default', name: 'watched-0' });
    }
  });

  test('describe shows conditions, bindings and the events of instance, replicas and Pods', async () => {
    const about = (name: string, kind: string, reason: string): KubeObject =>
      ({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'acme', name: `${name}.${reason.toLowerCase()}` },
        type: 'Warning',
        reason,
        note: `${reason} of ${name}`,
        regarding: { kind, name, namespace: 'acme' },
        eventTime: microTime(Date.now()),
        reportingController: 'test',
        reportingInstance: 'test',
        action: 'Test',
      }) as KubeObject;
    await kube.create(KINDS.event, about('support-3f2a1c-1', 'ConnectorReplica', 'LeaseExpired'));
    await kube.create(KINDS.event, about('support-3f2a1c-1', 'Pod', 'BackOff'));
    await kube.create(KINDS.event, about('another', 'Pod', 'Unrelated'));
    const found = (await aip(['fleet', 'describe', 'acme/support', '--json'])).json() as {
      events: { reason: string }[];
    };
    expect(found).toMatchObject({
      kind: 'cluster',
      config_revision: 3,
      capabilities: 12,
      bindings: [{ capabilities: ['*'], priority: 0 }],
      conditions: [{ type: 'Admitted' }, { type: 'Ready', reason: 'ReplicasReady' }],
    });
    expect(found.events.map(({ reason }) => reason).sort()).toEqual(['BackOff', 'LeaseExpired']);
    const shown = await aip(['fleet', 'describe', 'support']);
    expect(shown.stdout).toContain('LeaseExpired of support-3f2a1c-1');
    expect((await aip(['fleet', 'describe', 'nothing'])).code).toBe(2);
    const rollout = (await aip(['fleet', 'describe', 'crm-sync'])).stdout;
    expect(rollout).toMatch(/^RUNS +REPLICAS +READY +DRAINING +HOLDS +MANIFEST$/m);
    expect(rollout).toMatch(/^1\.9\.0 +1 +0 +1 +3 for up to \d+y +–$/m);
  });

  test('a user of one namespace is asked to name it, and then sees it, without events', async () => {
    const kubeconfig = await server.kubeconfigForUser('acme-operator');
    const role = ['--namespace', 'acme', 'create', 'role', 'fleet', '--verb=get,list,watch'];
    await server.kubectl([...role, '--resource=connectorinstances.fleet.aip.dev,connectorreplicas.fleet.aip.dev']);
    await server.kubectl([
      '--namespace',
      'acme',
      'create',
      'rolebinding',
      'fleet',
      '--role=fleet',
      '--user=acme-operator',
    ]);
    await writeFile(
      join(folder, 'acme.yaml'),
      JSON.stringify({ current: 'acme', contexts: [context('acme', kubeconfig)] }),
    );
    const all = await aip(['fleet', 'status', '--json'], 'acme.yaml');
    expect(all.json()).toMatchObject({
      error: { code: 'cli.right_missing', advice: expect.stringContaining('--namespace') },
    });
    expect((await aip(['fleet', 'status', '-n', 'acme'], 'acme.yaml')).stdout).toContain('crm-sync');
    expect((await aip(['fleet', 'describe', 'acme/support', '--json'], 'acme.yaml')).json()).toMatchObject({
      events: null,
    });
  });

  test('a command says what a context without a cluster lacks', async () => {
    const contexts = [{ name: 'bare', gateway_url: 'https://aip.example' }];
    await writeFile(join(folder, 'bare.yaml'), JSON.stringify({ current: 'bare', contexts }));
    const run = await aip(['fleet', 'status', '--json'], 'bare.yaml');
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ error: { advice: expect.stringContaining('--from-cluster') } });
  });
});

describeKube('aip tokens create', () => {
  test('adds the digest of a new token to the Secret; many at once lose none', async () => {
    const create = (principal: string) =>
      aip(['tokens', 'create', '--tenant', 'acme', '--scopes', 'action:read', '--principal', principal, '--json']);
    const runs = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(`human:${name}`)));
    for (const run of runs)
      expect(run.json()).toMatchObject({ tenant_id: 'acme', principals_secret: 'aip/aip-principals' });
    const secret = await kube.get<SecretObject>(KINDS.secret, { namespace: 'aip', name: 'aip-principals' });
    const text = secretText(secret as SecretObject, DATA.principals) ?? '';
    const entries = JSON.parse(text) as { principal_id: string; token_digest: string }[];
    expect(entries.map((entry) => entry.principal_id).sort()).toEqual(['human:a', 'human:b', 'human:c', 'human:d']);
    expect(entries.every((entry) => /^sha256:[0-9a-f]{64}$/.test(entry.token_digest))).toBe(true);
    for (const run of runs) expect(text).not.toContain(run.json().token);
  });
});

describeKube('aip trust', () => {
  const secret = async (name: string): Promise<SecretObject> =>
    (await kube.get<SecretObject>(KINDS.secret, { namespace: 'aip', name })) as SecretObject;
  const gateway = async () => {
    const { trust } = (await aip(['trust', 'status', '--json'])).json() as { trust: Record<string, unknown>[] };
    return trust[0];
  };

  test('rotate asks the controller, and status follows the phases of a rotation', async () => {
    expect(await gateway()).toEqual({
      subject: 'gateway',
      phase: 'active',
      queued: false,
      since: null,
      trusted: GATEWAY_DIDS.map((id) => ({ id })),
    });
    expect((await aip(['trust', 'rotate', 'gateway', '--json'])).json()).toMatchObject({ secret: 'aip/aip-gateway' });
    const asked = (await secret('aip-gateway')).metadata.annotations?.[TRUST_ANNOTATIONS.rotate];
    expect(Number(asked)).toBeGreaterThan(1_700_000_000);
    expect(await gateway()).toMatchObject({ phase: 'requested' });
    const since = formatTime(Date.now());
    const marks = { [TRUST_ANNOTATIONS.rotated]: asked, [TRUST_ANNOTATIONS.since]: since };
    await kube.replace(
      KINDS.secret,
      changedSecret(await secret('aip-gateway'), { [DATA.nextSeed]: 'c'.repeat(64) }, marks),
    );
    expect(await gateway()).toMatchObject({ phase: 'announced', queued: false, since });
    const texts = { [DATA.nextSeed]: undefined, [DATA.previousDids]: `${GATEWAY_DIDS[0]}\n` };
    await kube.replace(
      KINDS.secret,
      changedSecret(await secret('aip-gateway'), texts, { [TRUST_ANNOTATIONS.rotate]: '9' }),
    );
    expect(await gateway()).toMatchObject({ phase: 'overlapping', queued: true });
    const shown = await aip(['trust', 'status']);
    expect(shown.stdout).toContain('the next one signs, the old one is still trusted');
    expect(shown.stdout).toContain(GATEWAY_DIDS[0]);
  });

  test('status shows the authorities by fingerprint and end', async () => {
    const { trust } = (await aip(['trust', 'status', '--json'])).json() as {
      trust: { subject: string; trusted: object[] }[];
    };
    expect(ca).toContain('BEGIN CERTIFICATE');
    expect(trust[2]).toMatchObject({
      subject: 'ca',
      phase: 'active',
      trusted: [{ id: expect.stringMatching(/^[0-9a-f]{16}$/), not_after: expect.stringMatching(/Z$/) }],
    });
  });
});

describeKube('on a terminal', () => {
  const history = ['1.0.0', '2.0.0'].map((version, at) => ({
    revision: at + 1,
    template: `template${at}`,
    spec: { connector: { version } },
  }));
  const rows: [name: string, call: (run: number) => string[]][] = [
    ['trust status', () => ['trust', 'status']],
    ['trust rotate', () => ['trust', 'rotate', 'gateway']],
    ['fleet rollback', (run) => ['fleet', 'rollback', 'acme/reverted', '--to', String((run % 2) + 1)]],
    ['fleet status', () => ['fleet', 'status']],
    ['fleet replicas', () => ['fleet', 'replicas']],
  ];
  beforeAll(async () => {
    const at = { namespace: 'acme', name: 'reverted' };
    await makeInstance(kube, { ...at, tenant: 'acme' }, {});
    const annotations = { [ANNOTATIONS.revisions]: JSON.stringify(history.reverse()) };
    await kube.merge(KINDS.connectorInstance, at, { metadata: { annotations } });
  });
  afterAll(() => kube.delete(KINDS.connectorInstance, { namespace: 'acme', name: 'reverted' }));

  test.each(rows)(
    'aip %s works with the stored screens in a pipe and on terminals of 60, 100 and 200 columns',
    async (name, call) => {
      const file = join(import.meta.dirname, 'expected', fileOf(name));
      await expectStored(file, await screensOf(call, threeHoursLater(environment())));
    },
  );
});

describeKube('aip doctor', () => {
  const examine = async (file?: string) => {
    const run = await aip(['doctor', '--json'], file);
    const { findings } = run.json() as {
      findings: { check: string; verdict: string; message: string; advice?: string }[];
    };
    return { code: run.code, of: (check: string) => findings.filter((finding) => finding.check === check) };
  };

  test('finds what is missing in a cluster and says what to do', async () => {
    const { code, of } = await examine();
    expect(code).toBe(1);
    expect(of('node')).toMatchObject([{ verdict: 'ok' }]);
    expect(of('fleet')).toMatchObject([{ verdict: 'ok', message: 'here' }]);
    expect(of('gateway')).toMatchObject([{ verdict: 'fail', message: 'No gateway Pod is ready.' }]);
    expect(of('definitions')).toMatchObject([{ verdict: 'ok' }]);
    expect(of('controller')).toMatchObject([{ verdict: 'fail', advice: expect.any(String) }]);
    expect(of('leader')).toMatchObject([{ verdict: 'fail' }]);
    const instances = of('instances');
    expect(instances.find(({ message }) => message.includes('crm-sync'))).toMatchObject({
      verdict: 'fail',
      advice: 'aip fleet describe acme/crm-sync',
    });
    expect(instances.find(({ message }) => message.includes('new-one'))).toMatchObject({ verdict: 'warn' });
  });

  test('is content with Pods that are ready and a leader that renews, and reports a stale one', async () => {
    const kubectl = (args: string[]) => server.kubectl(args);
    await makePod(kube, { namespace: 'aip', prefix: 'aip', component: 'controller' }, kubectl, true);
    await makePod(kube, { namespace: 'aip', prefix: 'aip', component: 'gateway' }, kubectl, false);
    const lease = (renewedMs: number) =>
      ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'aip', name: 'aip-controller' },
        spec: { holderIdentity: 'aip-controller-0', leaseDurationSeconds: 15, renewTime: microTime(renewedMs) },
      }) as KubeObject;
    await kube.apply(KINDS.lease, lease(Date.now() + 30_000));
    const good = await examine();
    expect(good.of('controller')).toMatchObject([{ verdict: 'ok', message: '1 of 1 Pods ready' }]);
    expect(good.of('leader')).toMatchObject([{ verdict: 'ok', message: 'aip-controller-0' }]);
    expect(good.of('gateways')).toMatchObject([
      {
        verdict: 'fail',
        message: expect.stringContaining('aip-gateway-0'),
        advice: expect.stringContaining('kubectl'),
      },
    ]);
    await kube.apply(KINDS.lease, lease(Date.now() - 60_000));
    expect((await examine()).of('leader')).toMatchObject([{ verdict: 'fail' }]);
  });

  test('without rights it says which looks were not possible, and does not fail for them', async () => {
    const kubeconfig = await server.kubeconfigForUser('nobody');
    await writeFile(join(folder, 'nobody.yaml'), JSON.stringify({ contexts: [context('nobody', kubeconfig)] }));
    const run = await aip(['doctor', '--context', 'nobody', '--json'], 'nobody.yaml');
    const { findings } = run.json() as { findings: { check: string; verdict: string }[] };
    const verdict = (check: string) => findings.find((finding) => finding.check === check)?.verdict;
    expect(['definitions', 'controller', 'leader', 'gateways', 'instances'].map(verdict)).toEqual(
      Array(5).fill('skip'),
    );
    expect(findings.find(({ check }) => check === 'contexts')?.verdict).toBe('warn');
  });
});

describeKube('a cluster that does not answer', () => {
  test('is reported as such', async () => {
    const kubeconfig = join(folder, 'gone.kubeconfig');
    const entry = {
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:9' } }],
      users: [{ name: 'u', user: {} }],
    };
    const named = { contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }], 'current-context': 'x' };
    await writeFile(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...entry, ...named }));
    await writeFile(
      join(folder, 'gone.yaml'),
      JSON.stringify({ current: 'gone', contexts: [context('gone', kubeconfig)] }),
    );
    const run = await aip(['fleet', 'status', '--json'], 'gone.yaml');
    expect(run.code).toBe(7);
    expect(run.json()).toMatchObject({ error: { code: 'cli.cluster_unreachable', advice: expect.any(String) } });
  });
});
