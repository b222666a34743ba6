import type { Logger } from '@aip/runtime/internal/program';
import { pollLoop } from '@aip/runtime/internal/time';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS } from '../../api/group.js';
import { keyOf } from '../../api/metadata.js';
import { renewalTime } from '../../trust/certificates/renewal.js';
import type { ClusterContext } from '../context.js';
import type { ClusterView } from '../observed/view.js';
import { identified } from '../steps/identity.js';

/** How often the leaves are checked, in ms; that costs no request. */
const POLL_MS = 10_000;
/** Life of a leaf, in ms. */
const LIFE_MS = 90 * 86_400_000;

/** Renews the leaves of hosts that grow old, and those of an authority that is no longer the active one. Ends when the signal aborts. */
export async function renewLeaves({
  view,
  cluster,
  issuer,
  clock,
  log,
  signal,
}: {
  view: ClusterView;
  cluster: ClusterContext;
  /** Id of the authority that signs now, as far as known. */
  issuer(): string | undefined;
  clock: () => number;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const isDue = (replica: ConnectorReplica, active: string): boolean => {
    const { metadata, spec } = replica;
    const { [ANNOTATIONS.leafExpires]: expires, [ANNOTATIONS.leafIssuer]: signedBy } = metadata.annotations ?? {};
    if (metadata.deletionTimestamp || spec.identitySecret === undefined || expires === undefined) return false;
    const notAfter = Date.parse(expires);
    const life = { notBefore: notAfter - LIFE_MS, notAfter };
    return signedBy !== active || clock() >= renewalTime(life, keyOf(replica));
  };
  const renew = async (replica: ConnectorReplica): Promise<void> => {
    try {
      await identified(replica, { cluster, wrote: view.wrote, authority: () => cluster.authority() });
    } catch (error) {
      log.warn({ err: error, replica: keyOf(replica) }, 'a leaf could not be renewed');
    }
  };
  const renewDue = async (): Promise<void> => {
    const active = issuer();
    if (active === undefined) return;
    for (const replica of view.replicas().filter((each) => isDue(each, active))) await renew(replica);
  };
  await pollLoop(renewDue, { signal, everyMs: () => POLL_MS, pauseFirst: true });
}
