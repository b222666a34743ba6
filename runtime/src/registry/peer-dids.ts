import { batched } from '../postgres/lane.js';
import type { Queryable } from '../postgres/pool.js';

/** Replicas that are remembered at most. */
const MAX_KNOWN = 65_536;

// The DIDs of several replicas.
const READ = 'SELECT id, peer_did AS did FROM registry.replicas WHERE id = ANY($1)';

/**
 * Whether the host of a replica signs with a DID. What was true is answered from memory, since an identity never changes; the record may be
 * removed and made again under the same id, so what is written for the replica must check it again. Throws StorageUnavailable.
 */
export function peerDids(db: Queryable): (replicaId: string, did: string) => Promise<boolean> {
  const known = new Map<string, string>();
  const read = batched<string, string | undefined>({
    name: 'registry.peers',
    maxBatch: 256,
    run: async (ids) => {
      const { rows } = await db.query<{ id: string; did: string }>({
        name: 'registry.peers',
        text: READ,
        values: [ids],
      });
      const found = new Map(rows.map(({ id, did }) => [id, did]));
      return ids.map((id) => found.get(id));
    },
  });
  return async (replicaId, did) => {
    if (known.get(replicaId) === did) return true;
    const stored = await read(replicaId);
    if (stored === undefined) known.delete(replicaId);
    if (stored !== did) return false;
    if (known.size >= MAX_KNOWN && !known.has(replicaId)) known.delete(known.keys().next().value as string);
    known.set(replicaId, did);
    return true;
  };
}
