import type { Logger } from '@aip/runtime/internal/program';
import { afterEach, expect, test } from 'vitest';
import type { ClusterView } from '#controller/cluster/observed/view.js';
import { keepTrust, type TrustKeeper } from '#controller/cluster/trust/converge.js';
import { KubeUnavailable } from '#controller/kube/client/errors.js';
import type { Call } from '../../trust/support/memory-kube.ts';
import { release, SETTINGS } from '../../trust/support/release.ts';
import { instanceLike } from '../support.ts';

let stopping = new AbortController();
afterEach(() => {
  stopping.abort();
  stopping = new AbortController();
});

/** The keeper of a release that has its keys, with an instance in each of two namespaces, and what it logged. */
async function keeper(before: (call: Call) => void | Promise<void>): Promise<{ trust: TrustKeeper; logged: string[] }> {
  const { kube, time, reconcile } = release();
  await reconcile({ namespaces: [] });
  kube.before = before;
  const logged: string[] = [];
  const note = (fields: object) => void logged.push(JSON.stringify(fields));
  const log = { debug: note, info: note, warn: note, error: note } as unknown as Logger;
  const instances = ['acme', 'globex'].map((namespace) => instanceLike({}, { namespace }));
  const view = { instances: () => instances, replicas: () => [] } as unknown as ClusterView;
  const deps = { kube, clock: () => time.now, settings: SETTINGS, log, isAllowed: () => true };
  return { trust: keepTrust(deps, view, stopping.signal), logged };
}

test('trust is ready while the copy of one namespace fails, which is logged once', async () => {
  const { trust, logged } = await keeper(({ verb, namespace }) => {
    if (verb !== 'get' && namespace === 'acme') throw new KubeUnavailable(500, 'InternalError', 'webhook failed');
  });
  await trust.ready;
  await trust.inNamespace('globex');
  expect(logged.filter((line) => line.includes('CopyRefused'))).toHaveLength(1);
});

test('trust is ready while the copy of one namespace gets no answer', async () => {
  const { trust } = await keeper(({ verb, namespace }) => {
    if (verb === 'create' && namespace === 'acme') return new Promise<void>(() => undefined);
    return undefined;
  });
  await expect(trust.ready).resolves.toBeUndefined();
});
