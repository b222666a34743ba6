import { killProgram } from '../../../../tools/kube-cluster/process/kill-program.ts';
import { until } from '../../../support/until.ts';
import type { Release } from './release.ts';

const NAMESPACE = 'after-the-outage';

/**
 * Starts kube-controller-manager again and waits until it works. Where it leads by a lease it ends in an outage and is started again; on the one-node
 * cluster it lives on, and follows the API server again only after a pause of up to a minute.
 */
export async function restartControllers({ kubectl }: Release): Promise<void> {
  const start = await killProgram('kube-controller-manager');
  await start();
  await kubectl('create', 'namespace', NAMESPACE);
  const account = ['get', 'serviceaccount', 'default', '-n', NAMESPACE, '--ignore-not-found', '-o', 'name'];
  await until('a new namespace has its service account', async () => (await kubectl(...account)) !== '', 60_000);
  await kubectl('delete', 'namespace', NAMESPACE, '--timeout=60s');
}
