import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { instanceViews } from '#cli/fleet/instance-view.js';
import type { InstanceObject, ReplicaObject } from '#cli/kube/objects.js';
import { age } from '#cli/ui/age.js';
import { changedLines } from '#cli/ui/fleet/open.js';
import { clusterSnapshot, registrySnapshot } from '#cli/ui/fleet/snapshot.js';
import { instanceTable } from '#cli/ui/tables/fleet/instances.js';
import { replicaRows, replicaTable } from '#cli/ui/tables/fleet/replicas.js';
import { wrap } from '#cli/ui/tables/width.js';
import { API_VERSION } from '#controller/api/group.js';
import type { FleetStatusRow } from '#controller/local/state/fleet-status.js';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const VERSION_ID = `cver_${'a'.repeat(32)}`;

const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
});

function instance(name: string, change: { spec?: object; status?: object } = {}): InstanceObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ConnectorInstance',
    metadata: { namespace: 'acme', name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'acme', replicas: 2, ...change.spec },
    ...(change.status ? { status: { versionId: VERSION_ID, ...change.status } } : {}),
  } as InstanceObject;
}

function replica(name: string, of: string, change: { spec?: object; status?: object } = {}): ReplicaObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ConnectorReplica',
    metadata: { namespace: 'acme', name },
    spec: { instanceRef: { name: of }, versionId: VERSION_ID, capacity: 8, ...change.spec },
    ...(change.status ? { status: change.status } : {}),
  } as ReplicaObject;
}

describe('views of a cluster', () => {
  test('an instance that no controller has seen is Unknown, with pending replicas', () => {
    const [view] = instanceViews([instance('new')], [replica('new-0', 'new')]);
    expect(view).toMatchObject({ status: 'Unknown', healthy: false, ready: 0, desired: 2, problems: [] });
    expect(view?.replicas).toMatchObject([{ state: 'pending', pod: null, capacity: 8 }]);
  });

  test('replicas stand beneath their own instance, by name, whatever the order they came in', () => {
    const views = instanceViews(
      [instance('b'), instance('a')],
      [replica('b-1', 'b'), replica('a-0', 'a'), replica('b-0', 'b'), replica('lost-0', 'lost')],
    );
    expect(views.map((view) => [view.name, view.replicas.map(({ name }) => name)])).toEqual([
      ['a', ['a-0']],
      ['b', ['b-0', 'b-1']],
    ]);
  });

  test('of an External instance as many replicas are wanted as there are', () => {
    const spec = { hosting: 'External', replicas: 1 };
    const [view] = instanceViews(
      [instance('x', { spec })],
      ['0', '1', '2'].map((at) => replica(`x-${at}`, 'x')),
    );
    expect(view?.desired).toBe(3);
    expect(instanceTable([view as NonNullable<typeof view>], NOW)).toContain('external');
  });

  test('the gravest problem comes first, and what is repeated is reported once', () => {
    const conditions = [
      condition('Ready', 'False', 'Deadline', 'no new replica'),
      condition('Stalled', 'True', 'Deadline', 'no new replica'),
      condition('Admitted', 'False', 'TypeNotAllowed', 'the type may not run here'),
    ];
    const [view] = instanceViews([instance('bad', { status: { conditions } })], []);
    expect(view?.problems.map(({ type }) => type)).toEqual(['Stalled', 'Admitted']);
    expect(clusterSnapshot(view ? [view] : []).broken).toEqual(['acme/bad']);
  });
});

describe('the fleet table', () => {
  const message = 'version 2.0.0 has no ready replica after 10m; the old replicas go on serving';
  const conditions = [condition('Stalled', 'True', 'ProgressDeadlineExceeded', message)];
  const views = instanceViews(
    [
      instance('support', {
        status: { conditions: [condition('Ready', 'True', 'ReplicasReady', '')], readyReplicas: 2 },
      }),
      instance('crm-sync', { status: { conditions, readyReplicas: 1, drainingReplicas: 1 } }),
    ],
    [
      replica('support-3f2a1c-0', 'support', { status: { state: 'Ready', podName: 'support-3f2a1c-0' } }),
      replica('crm-sync-bbbbbb-0', 'crm-sync', { spec: { desiredState: 'Drained' }, status: { state: 'Ready' } }),
    ],
  );

  test.each([60, 80, 100, 120])('keeps within %d columns and says all that matters', (width) => {
    const text = stripVTControlCharacters(instanceTable(views, NOW, width));
    for (const line of text.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(width);
    for (const word of ['support', 'crm-sync', 'demo']) expect(text).toContain(word);
    expect(text.replace(/\s+/g, ' ')).toContain('go on serving');
    expect(text).toContain('ready (cordoned)');
  });

  test('has the three counts where there is room, else one column of them', () => {
    expect(instanceTable(views, NOW, 120)).toMatch(/DESIRED +READY +DRAINING/);
    expect(instanceTable(views, NOW, 60)).toMatch(/1\/2\+1/);
  });

  test('names an open circuit, the last failure and the running beside the wanted version, at any width', () => {
    const last = { reason: 'Unreached', message: 'no host took act_1', time: '2026-01-01T23:57:00Z' };
    const status = { state: 'Ready', version: '0.9.0', circuit: 'Open', lastFailure: last };
    const failing = instanceViews(
      [instance('support', { status: { readyReplicas: 1 } })],
      [
        replica('support-3f2a1c-0', 'support', { spec: { versionId: 'cver_old' }, status }),
        replica('support-3f2a1c-1', 'support', { status: { state: 'Ready', version: '1.0.0', circuit: 'Closed' } }),
      ],
    );
    const shown = (width: number) => stripVTControlCharacters(instanceTable(failing, NOW, width));
    expect(shown(200)).toMatch(
      /support-3f2a1c-0 +ready +circuit open +last failure: unreached 3m ago +no Pod +0\.9\.0 → 1\.0\.0 +capacity 8\n/,
    );
    expect(shown(200)).toMatch(/support-3f2a1c-1 +ready +circuit closed +no Pod +1\.0\.0 +capacity 8$/);
    for (const width of [60, 80, 100]) {
      for (const line of shown(width).split('\n')) expect([...line].length, line).toBeLessThanOrEqual(width);
      expect(shown(width)).toContain('circuit open');
    }
    const rows = (width: number) =>
      stripVTControlCharacters(replicaTable(replicaRows(failing), NOW, width)).split('\n');
    expect(rows(200)[0]).toBe(
      'INSTANCE  REPLICA           STATE  CIRCUIT  LAST FAILURE      VERSION        CAPACITY  POD',
    );
    expect(rows(200)[1]).toBe(
      'support   support-3f2a1c-0  ready  open     unreached 3m ago  0.9.0 → 1.0.0         8  –',
    );
    for (const line of rows(60)) expect([...line].length, line).toBeLessThanOrEqual(60);
    expect(clusterSnapshot(failing).items.get('acme/support')?.line).toContain('support-3f2a1c-0=ready (circuit open)');
  });

  test('names what a host that takes no new work still holds, and until when, at any width', () => {
    const drain = { pinnedActions: 3, observedTime: '2026-01-01T23:59:58Z', deadline: '2026-01-02T00:05:00Z' };
    const status = { state: 'Draining', version: '0.9.0', drain };
    const versions = [
      { versionId: VERSION_ID, version: '1.0.0', replicas: 1, readyReplicas: 1, drainingReplicas: 0, pinnedActions: 0 },
      {
        ...{ versionId: 'cver_old', version: '0.9.0', replicas: 1, readyReplicas: 0, drainingReplicas: 1 },
        ...{ pinnedActions: 3, removedBy: '2026-01-02T00:05:00Z' },
      },
    ];
    const views = instanceViews(
      [instance('support', { status: { readyReplicas: 1, drainingReplicas: 1, versions } })],
      [
        replica('support-aaaaaa-0', 'support', { spec: { versionId: 'cver_old' }, status }),
        replica('support-bbbbbb-0', 'support', { status: { state: 'Ready', version: '1.0.0' } }),
      ],
    );
    expect(views[0]?.replicas[0]?.held).toEqual({
      pinned_actions: 3,
      removed_by: '2026-01-02T00:05:00Z',
      counted_at: '2026-01-01T23:59:58Z',
    });
    expect(views[0]?.versions).toMatchObject([
      { version: '1.0.0', pinned_actions: 0, removed_by: null },
      { version: '0.9.0', draining: 1, pinned_actions: 3, removed_by: '2026-01-02T00:05:00Z' },
    ]);
    const shown = (width: number) => stripVTControlCharacters(instanceTable(views, NOW, width));
    expect(shown(200)).toMatch(/support-aaaaaa-0 +draining +holds 3 for up to 5m +no Pod +0\.9\.0 → 1\.0\.0/);
    const rows = stripVTControlCharacters(replicaTable(replicaRows(views), NOW, 200)).split('\n');
    expect(rows[0]).toBe('INSTANCE  REPLICA           STATE     HOLDS           VERSION        CAPACITY  POD');
    for (const width of [60, 80, 100]) {
      for (const line of shown(width).split('\n')) expect([...line].length, line).toBeLessThanOrEqual(width);
      expect(shown(width)).toMatch(/holds 3/);
    }
    expect(clusterSnapshot(views).items.get('acme/support')?.line).toContain('support-aaaaaa-0=draining (holds 3)');
  });

  test('of nothing says so', () => {
    expect(instanceTable([], NOW)).toBe('The fleet has no instances.');
  });
});

describe('the registry of aip dev', () => {
  const row = {
    ...{ instance: 'shop', instance_id: 'cinst_1', tenant_id: 'acme', connector: 'shop', version: '1.0.0' },
    ...{ version_id: VERSION_ID, wanted_version: '1.0.0', replica: 'shop-3f2a1c-0', replica_id: 'crepl_1' },
    ...{
      state: 'ready' as const,
      desired: 'ready' as const,
      lease_left_ms: 30_000,
      active: 0,
      pinned: 0,
      capacity: 8,
      endpoint: 'http://127.0.0.1:1',
    },
    ...{ did: null, removed_by: null, circuit_open_ms: 0, consecutive_failures: 0, last_failure: null },
  };

  test('during a rollout a replica shows the version that runs and the one that is wanted', () => {
    const text = registrySnapshot([row, { ...row, replica: 'shop-aaaaaa-0', wanted_version: '1.1.0' }]).table(100, NOW);
    expect(text).toMatch(/shop-3f2a1c-0 .* 1\.0\.0 +acme/);
    expect(text).toMatch(/shop-aaaaaa-0 .* 1\.0\.0 → 1\.1\.0 +acme/);
  });

  test('a host that drains shows what it holds and until when; one that serves does not', () => {
    const held = { ...row, state: 'draining' as const, pinned: 1, removed_by: '2026-01-02T00:01:00Z' };
    const snapshot = registrySnapshot([held, { ...row, replica_id: 'crepl_2', pinned: 7 }]);
    const lines = stripVTControlCharacters(snapshot.table(200, NOW)).split('\n');
    expect(lines[0]).toMatch(/ LOAD +HOLDS +VERSION /);
    expect(lines[1]).toMatch(/ draining .* 1 for up to 60s /);
    expect(lines[2]).toMatch(/ ready .* 0\/8 +– /);
    expect(snapshot.items.get('crepl_1')?.line).toMatch(/ draining 1\.0\.0, holds 1$/);
    expect(registrySnapshot([{ ...row, pinned: 7 }]).table(200, NOW)).not.toContain('HOLDS');
  });

  test('a host that was drained by hand says so once it is offline', () => {
    const drained = { ...row, desired: 'drained' as const };
    const shown = (state: FleetStatusRow['state']): string =>
      registrySnapshot([{ ...drained, state }]).items.get('crepl_1')?.line ?? '';
    expect(registrySnapshot([{ ...drained, state: 'offline' }]).table(200, NOW)).toContain(' offline (cordoned) ');
    expect(shown('offline')).toMatch(/ offline \(cordoned\) 1\.0\.0$/);
    expect(shown('draining')).toMatch(/ draining 1\.0\.0$/);
  });

  test.each([60, 100, 200])('a source that does not answer is named below the table, within %d columns', (width) => {
    const reason = "The registry's database does not answer: connect ECONNREFUSED 127.0.0.1:5432.";
    const snapshot = registrySnapshot([], [], [{ source: 'registry', reason }]);
    expect(snapshot.document).toMatchObject({ unreachable: [{ source: 'registry', reason }] });
    const lines = stripVTControlCharacters(snapshot.table(width, NOW)).split('\n');
    expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(`! ${reason} Shown is what \`aip dev\` reports itself.`);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(width);
  });
});

test.each([
  ['2026-01-01T23:59:00Z', '60s'],
  ['2026-01-01T23:00:00Z', '60m'],
  ['2026-01-01T12:00:00Z', '12h'],
  ['2025-12-20T00:00:00Z', '13d'],
  ['2023-01-01T00:00:00Z', '3y'],
  ['2026-01-03T00:00:00Z', '0s'],
  [null, '–'],
  ['soon', '–'],
])('the age of %s is %s', (at, text) => {
  expect(age(at, NOW)).toBe(text);
});

test('text is broken between words; what is longer than a line is cut', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij k', 5)).toEqual(['abcd…', 'k']);
  expect(wrap('one\ntwo three', 7)).toEqual(['one', 'two', 'three']);
});

test('a command in backticks is never broken, nor cut where it is longer than a line', () => {
  expect(wrap('Start it with `aip dev -f a.yaml`, or not.', 16)).toEqual([
    'Start it with',
    '`aip dev -f a.yaml`,',
    'or not.',
  ]);
  expect(wrap('now `aip dev` runs', 80)).toEqual(['now `aip dev` runs']);
  expect(wrap('one ` two three', 7)).toEqual(['one `', 'two', 'three']);
});

test('a watch reports what is new, what changed and what is gone, and a failure once', () => {
  const told: string[] = [];
  const view = changedLines<string>(
    (line) => told.push(line),
    (change) =>
      change.kind === 'item' ? change.line : change.kind === 'removed' ? `-${change.key}` : `?${change.reason}`,
  );
  const show = (lines: Record<string, string>): void =>
    view.show({
      table: () => '',

      items: new Map(Object.entries(lines).map(([key, line]) => [key, { line, json: {} }])),
    });
  show({ a: 'a1', b: 'b1' });
  show({ a: 'a1', b: 'b1' });
  view.lost('gone');
  view.lost('gone');
  show({ a: 'a2' });
  view.lost('gone');
  expect(told).toEqual(['a1', 'b1', '?gone', 'a2', '-b', '?gone']);
});
