import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { until } from '../../support/until.ts';
import { ELSEWHERE } from './support/elsewhere.ts';
import { keepEvidence } from './support/evidence.ts';
import { openReader, type Reader } from './support/reader.ts';
import { installRelease, openRelease, RELEASE, type Release, ROOT } from './support/release.ts';
import { needsThisMachine } from './support/this-machine.ts';

const INSTALL = 'docs/kubernetes/install.md';
const IMAGES = 'docs/kubernetes/images.md';
const CONNECTOR = 'docs/kubernetes/connector.md';
const OPERATE = 'docs/kubernetes/operate.md';
const BACKUP = 'docs/kubernetes/backup.md';
const TRUST = 'docs/kubernetes/trust.md';
const RUNBOOK = 'docs/kubernetes/runbook.md';
const NAMESPACE = 'aip-system';
const READY_REASON = '.status.conditions[?(@.type=="Ready")].reason';

const cluster = inject('e2eCluster');

describe.skipIf(needsThisMachine('the commands of the guides, which build images'))('the guides, as printed', () => {
  let release: Release;
  let reader: Reader;
  beforeAll(async () => {
    release = openRelease(cluster as NonNullable<typeof cluster>);
    await release.kubectl('delete', 'cinst', '--all', '-A', '--timeout=180s');
    await release.helm('uninstall', RELEASE.name, '--wait');
    await release.kubectl('delete', 'namespace', RELEASE.namespace, '--timeout=240s');
    await release.kubectl('delete', 'crd', 'connectorinstances.fleet.aip.dev', 'connectorreplicas.fleet.aip.dev');
    reader = await openReader(release.cluster);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepEvidence(release, task.name);
  });
  afterAll(async () => {
    if (!release) return;
    await release.kubectl('delete', 'cinst', '--all', '-A', '--ignore-not-found', '--timeout=180s').catch(() => '');
    await release.kubectl('delete', 'namespace', NAMESPACE, 'acme', 'demo', '--ignore-not-found', '--timeout=240s');
    await release.kubectl('delete', 'pv,crd', '-l', 'app.kubernetes.io/name=aip-fleet', '--ignore-not-found');
    await installRelease(release.cluster, { flags: ['--take-ownership'] });
    await reader?.checkout.remove();
    await release.close();
  });

  const support = (path: string): Promise<string> =>
    release.kubectl('get', 'cinst', 'support', '-n', 'acme', '-o', `jsonpath={${path}}`);
  const ready = (count: number): Promise<void> => release.ready('support', count, 'acme');
  /** Runs statements as the fleet's own user. */
  const psql = async (statements: string): Promise<string> => {
    const inside = ['exec', 'aip-postgres-0', '-n', NAMESPACE, '--'];
    const url = await release.kubectl('get', 'secret', 'aip-postgres', '-n', NAMESPACE, '-o', 'jsonpath={.data.url}');
    return release.kubectl(
      ...[...inside, 'psql', Buffer.from(url, 'base64').toString(), '-v', 'ON_ERROR_STOP=1', '-c', statements],
    );
  };
  const acts = (): Promise<unknown> =>
    until(
      'an action of tenant acme runs',
      () => reader.sh(`aip actions submit cap:demo:echo --input '{"text":"acts"}' --follow --json`).catch(() => ''),
      240_000,
    );

  test('README and install: images, release, demo, an action', { timeout: 900_000 }, async () => {
    const printed = await reader.runs(INSTALL, 'helm install aip');
    expect(reader.takes('README.md', 'helm install aip')).toBe(reader.takes(INSTALL, 'helm install aip'));
    expect(printed).toContain('connectorinstance.fleet.aip.dev/demo condition met');
    expect(printed).toContain('{"value":5,"of":5}');
    expect(printed).toContain('completed');
    await reader.sh('helm -n aip-system test aip --logs');
  });

  test('images, and a connector of one’s own', async () => {
    await reader.runs(IMAGES, 'docker build --target runtime');
    expect(await reader.runs(IMAGES, 'buildah push --digestfile')).toMatch(/sha256:[0-9a-f]{64}/);
    expect(reader.takes(IMAGES, 'npm run image-context')).toBeTruthy();
    const dockerfile = await readFile(join(ROOT, 'docs/examples/Dockerfile'), 'utf8');
    const instructions = dockerfile
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n')
      .trim();
    expect(reader.takes(CONNECTOR, 'ARG AIP_RUNTIME')).toBe(instructions);
    const own = reader.takes(IMAGES, 'FROM registry.example/aip/aip-runtime:0.1.0').split('\n').slice(1);
    expect(own).toEqual(instructions.split('\n').slice(2));

    const described = JSON.parse(await reader.runs(CONNECTOR, 'npx aip-runtime describe')) as object;
    expect(JSON.stringify(described)).toContain('cap:greeter:greet');
    const dev = reader.takes(CONNECTOR, 'npx aip dev -f');
    await reader.sh(`timeout --signal=INT 180 ${dev} >dev.log 2>&1 & pid=$!
      until grep -q 'ready after' dev.log; do kill -0 $pid || { cat dev.log; exit 1; }; sleep 0.2; done
      kill -INT $pid; wait $pid || true`);
    await reader.runs(CONNECTOR, 'docker push $REGISTRY/greeter');
    await reader.runs(CONNECTOR, 'kubectl create namespace acme');
    const digest = await reader.sh('buildah push --digestfile digest $REGISTRY/greeter:1.0.0 >/dev/null && cat digest');
    const guide = await readFile(join(ROOT, CONNECTOR), 'utf8');
    const resource = guide
      .split('```yaml\n')[1]
      ?.split('```')[0]
      ?.replace('registry.example/acme', 'localhost:5000/aip')
      .replace('sha256:…', digest.trim()) as string;
    expect(parse(resource).spec.connector.image).toContain(digest.trim());
    await writeFile(join(reader.checkout.folder, 'greeter.yaml'), resource);
    expect(await reader.runs(CONNECTOR, 'kubectl apply -f greeter.yaml')).toContain('Hi, Ada!');
  });

  test('operate: scale, pause, roll back, canary, replicas, scale to zero and back', { timeout: 600_000 }, async () => {
    const apply = (version: string): Promise<void> =>
      release.apply({
        apiVersion: 'fleet.aip.dev/v1alpha1',
        kind: 'ConnectorInstance',
        metadata: { name: 'support', namespace: 'acme' },
        spec: { connector: { type: 'demo', version }, tenantId: 'acme', replicas: 2 },
      });
    for (const version of ['1.0.0', '2.0.0']) {
      await apply(version);
      await ready(2);
    }
    await acts();
    const looked = await reader.runs(OPERATE, 'get lease aip-controller');
    expect(looked).toContain('support');
    expect(looked).toMatch(/aip-controller-/);
    expect(await reader.runs(OPERATE, '.status.versions')).toContain('"pinnedActions":0');
    await reader.runs(OPERATE, 'scale connectorinstance/support');
    await ready(4);
    const revisions = await reader.runs(OPERATE, 'aip fleet rollback acme/support');
    expect(revisions).toContain('1.0.0');
    expect(await support('.spec.connector.version')).toBe('1.0.0');
    expect(await support('.spec.rollout.paused')).toBe('true');
    await reader.sh(
      `kubectl -n acme patch cinst support --type merge -p '{"spec":{"replicas":2,"rollout":{"paused":false}}}'`,
    );
    await ready(2);
    await reader.runs(OPERATE, '"canary"');
    expect(await support('.spec.rollout.canary.percent')).toBe('10');
    await reader.sh(`kubectl -n acme patch cinst support --type merge -p '{"spec":{"rollout":{"canary":null}}}'`);
    await reader.runs(OPERATE, 'REPLICA=');
    await ready(2);
    await reader.runs(OPERATE, '"scaleToZero"');
    expect(await support('.spec.scaleToZero.idleAfterSeconds')).toBe('600');
    await reader.sh(
      `kubectl -n acme patch cinst support --type merge -p '{"spec":{"scaleToZero":{"idleAfterSeconds":60}}}'`,
    );
    await until('the instance is idle', async () => (await support(READY_REASON)) === 'Idle', 240_000);
    await until('its hosts have ended', async () => (await support('.status.replicas')) === '0', 120_000);
    await acts();
    await ready(2);
    await reader.sh(`kubectl -n acme patch cinst support --type merge -p '{"spec":{"scaleToZero":null}}'`);
    const looks = await reader.runs(RUNBOOK, 'aip doctor', {
      ' | grep -E': ' | grep -c -E',
      "warn|error'": "warn|error' || true",
    });
    expect(looks).toContain('Ready=True');
    const schema = await psql(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'host_%' LIMIT 1`);
    const parked = reader.takes(RUNBOOK, 'UPDATE outbox');
    await psql(`SET search_path = ${/host_[0-9a-f]{16}/.exec(schema)?.[0]}; ${parked.replaceAll(/--.*/g, '')}`);
    const token = await reader.runs(INSTALL, 'get secret aip-operator-');
    expect(token.length).toBeGreaterThan(20);
  });

  test('upgrade with backups, back up, restore', { timeout: 900_000 }, async () => {
    const before = await reader.sh('aip actions list --json');
    await reader.sh(`helm get values aip --namespace ${NAMESPACE} --output yaml > values.yaml`);
    expect(reader.takes(INSTALL, 'helm get values')).toContain('helm upgrade aip');
    const backup = reader.takes(BACKUP, 'schedule: "0 3 * * *"');
    const values = join(reader.checkout.folder, 'values.yaml');
    await writeFile(values, `${await readFile(values, 'utf8')}\n${backup}\n`);
    await reader.runs(OPERATE, 'rollout status deployment/aip-controller');
    expect(await reader.runs(BACKUP, 'aip-backup-now')).toMatch(/stored fleet-\S+\.dump/);
    await reader.runs(BACKUP, 'scale deployment/aip-controller deployment/aip-gateway --replicas=0');
    const name = /fleet-\S+?\.dump/.exec(
      await reader.sh(`kubectl -n ${NAMESPACE} logs job/aip-backup-now`),
    )?.[0] as string;
    await reader.runs(BACKUP, '--dry-run=client', { 'fleet-20261122T030000Z.dump': name });
    await reader.sh(`kubectl -n ${NAMESPACE} wait --for=condition=Complete job/aip-restore-now --timeout=5m`);
    expect(await reader.sh(`kubectl -n ${NAMESPACE} logs job/aip-restore-now`)).toContain(`restored ${name}`);
    // Into an empty database, as on a new server.
    await reader.sh(`kubectl -n ${NAMESPACE} delete job aip-restore-now`);
    await psql(`DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT nspname FROM pg_namespace WHERE nspname IN ('runtime', 'registry') OR nspname LIKE 'host\\_%'
      LOOP EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP; END $$`);
    expect(await reader.runs(BACKUP, 'wait --for=condition=Complete job/aip-restore-now')).toContain(
      `restored ${name}`,
    );
    await psql(reader.takes(BACKUP, 'UPDATE registry.bindings'));
    await psql(reader.takes(BACKUP, 'UPDATE runtime.actions'));
    await psql(reader.takes(BACKUP, 'UPDATE runtime.events'));
    await reader.runs(BACKUP, 'rollout status deployment/aip-controller');
    await reader.sh(`kubectl -n ${NAMESPACE} rollout status deployment/aip-gateway --timeout=3m`);
    await ready(2);
    await acts();
    const known = (text: string): string[] => [...text.matchAll(/act_[\w-]+/g)].map(([id]) => id);
    expect(known(await reader.sh('aip actions list --json'))).toEqual(expect.arrayContaining(known(before)));
  });

  test('trust: rotate, back up, a stolen key', { timeout: 900_000 }, async () => {
    await reader.runs(TRUST, 'aip-trust-backup.yaml');
    await reader.runs(TRUST, 'delete configmap aip-trust');
    const secret = ['get', 'secret', 'aip-gateway', '-n', NAMESPACE, '--ignore-not-found', '-o', 'name'];
    await until('the gateways have a new key', () => release.kubectl(...secret));
    await acts();
    await reader.runs(TRUST, 'annotate secret aip-gateway');
    expect(await reader.runs(TRUST, "jsonpath='{.data.gateway-dids}'", { Stalled: 'Stalled|' })).toContain('did:key:');
    await reader.runs(TRUST, 'restarted');
    await ready(2);
    await acts();
  });

  test('delete, prune, uninstall', { timeout: 600_000 }, async () => {
    await reader.runs(OPERATE, 'force-delete=true');
    const url = await release.kubectl('get', 'secret', 'aip-postgres', '-n', NAMESPACE, '-o', 'jsonpath={.data.url}');
    const pod = await release.kubectl(
      'get',
      'pod',
      'aip-postgres-0',
      '-n',
      NAMESPACE,
      '-o',
      'jsonpath={.status.podIP}',
    );
    const address = new URL(Buffer.from(url, 'base64').toString());
    address.hostname = pod;
    address.searchParams.set('sslmode', 'disable');
    await reader.sh('aip context add prod --from-cluster -n aip-system --tenant acme');
    const pruned = await reader.runs(OPERATE, 'aip fleet prune', {
      'postgres://fleet@db.example/fleet': `'${address.href}'`,
    });
    expect(pruned).toMatch(/host_[0-9a-f]{16}/);
    await reader.runs(INSTALL, 'helm uninstall aip');
    await reader.runs(INSTALL, 'kubectl delete crd');
    expect(await release.kubectl('get', 'namespace', NAMESPACE, '--ignore-not-found')).toBe('');
  });

  test('no block of the guides is left out without a reason', () => {
    const folder = join(ROOT, 'docs/kubernetes');
    const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
    const left = reader
      .unused([join(ROOT, 'README.md'), ...files.map((name) => join(folder, name))])
      .filter(({ place, text }) => !place.startsWith('README') || text.includes('helm'))
      .filter(({ text }) => !Object.keys(ELSEWHERE).some((words) => text.includes(words)));
    expect(left.map(({ place }) => place)).toEqual([]);
  });
});
