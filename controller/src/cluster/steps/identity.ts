import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS } from '../../api/group.js';
import { KINDS } from '../../api/kinds.js';
import type { ClusterContext } from '../context.js';
import { IdentityLost } from '../provision/identities.js';

/** What a change of a replica needs. */
export interface Writing {
  cluster: Pick<ClusterContext, 'kube'>;
  wrote(replica: ConnectorReplica): void;
}

/** What an identity needs. */
export interface Identifying extends Writing {
  cluster: Pick<ClusterContext, 'kube' | 'identify'>;
  authority: ClusterContext['authority'];
}

/** Notes on a replica that it must be removed, unless that is noted. */
export async function retire(replica: ConnectorReplica, reason: string, { cluster, wrote }: Writing): Promise<void> {
  if (replica.metadata.annotations?.[ANNOTATIONS.retiring]) return;
  wrote(
    await cluster.kube.merge<ConnectorReplica>(KINDS.connectorReplica, replica.metadata, {
      metadata: { annotations: { [ANNOTATIONS.retiring]: reason } },
      spec: { desiredState: 'Drained' },
    }),
  );
}

/** Makes or renews the identity of a replica and notes it on the replica. One that is lost takes its replica with it: IdentityLost then. */
export async function identified(replica: ConnectorReplica, writing: Identifying): Promise<ConnectorReplica> {
  const { cluster, wrote, authority } = writing;
  const { did, leafExpires, issuer } = await cluster.identify(replica, authority).catch(async (error: unknown) => {
    if (error instanceof IdentityLost) await retire(replica, 'IdentityLost', writing);
    throw error;
  });
  const annotations = { [ANNOTATIONS.leafExpires]: leafExpires, [ANNOTATIONS.leafIssuer]: issuer };
  const noted = replica.metadata.annotations ?? {};
  if (replica.spec.peerDid === did && Object.entries(annotations).every(([name, value]) => noted[name] === value))
    return replica;
  const named = await cluster.kube.merge<ConnectorReplica>(KINDS.connectorReplica, replica.metadata, {
    metadata: { annotations },
    spec: { peerDid: did },
  });
  wrote(named);
  return named;
}
