import type { Clock } from '@aip/runtime/internal/protocol';
import { KubeConflict, KubeNotFound } from '../client/errors.js';
import { LEASE } from '../kinds.js';
import type { Kube } from '../kube.js';
import { givenBack, heldBy, type Lease, mayTake, type ObservedLease, observe } from './lease-record.js';

/** A lease that this process holds; `until` by the monotonic clock, counted from before the request that renewed it. */
export interface Held {
  readonly lease: Lease;
  readonly until: number;
}

/** One candidate's way to the lease of an election. */
export interface Candidacy {
  /** Takes the lease where it is free or ended; undefined when another process holds it or was faster. */
  take(): Promise<Held | undefined>;
  /** One renewal; the version last seen is tried without reading. 'lost' when another process holds the lease. */
  renew(now: Held): Promise<Held | 'lost'>;
  /** Gives the lease back where it is still held by this process. */
  giveBack(): Promise<void>;
  /** Who held the lease when it was last read. */
  holder(): string | undefined;
}

/** What a candidate needs: its lease, its name in it, and its times. */
export interface CandidacyOptions {
  readonly kube: Pick<Kube, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly timing: { readonly leaseMs: number; readonly renewDeadlineMs: number };
  readonly clock: Clock;
}

/** A candidate that has read nothing yet. */
export function openCandidacy({ kube, namespace, name, identity, timing, clock }: CandidacyOptions): Candidacy {
  const ref = { namespace, name };
  let observed: ObservedLease | undefined;

  const see = (lease: Lease): ObservedLease => {
    observed = observe(observed, lease.spec ?? {}, performance.now());
    return observed;
  };
  /** Writes the lease as ours; undefined when another process was faster. */
  const write = async (before: Lease | undefined): Promise<Held | undefined> => {
    const until = performance.now() + timing.renewDeadlineMs;
    const spec = heldBy(identity, timing.leaseMs, before?.spec, clock());
    try {
      const lease = before
        ? await kube.replace<Lease>(LEASE, { ...before, spec })
        : await kube.create<Lease>(LEASE, {
            apiVersion: LEASE.apiVersion,
            kind: LEASE.kind,
            metadata: ref,
            spec,
          });
      see(lease);
      return { lease, until };
    } catch (error) {
      if (error instanceof KubeConflict || error instanceof KubeNotFound) return undefined;
      throw error;
    }
  };
  return {
    take: async () => {
      const lease = await kube.get<Lease>(LEASE, ref);
      if (lease && !mayTake(see(lease), identity, performance.now())) return undefined;
      return write(lease);
    },
    renew: async (now) => {
      const renewed = await write(now.lease);
      if (renewed) return renewed;
      const lease = await kube.get<Lease>(LEASE, ref);
      if (lease && (see(lease).spec.holderIdentity ?? '') !== identity) return 'lost';
      return (await write(lease)) ?? now;
    },
    giveBack: async () => {
      const lease = await kube.get<Lease>(LEASE, ref);
      if (lease?.spec?.holderIdentity !== identity) return;
      await kube.replace<Lease>(LEASE, { ...lease, spec: givenBack(lease.spec, clock()) });
    },
    holder: () => observed?.spec.holderIdentity || undefined,
  };
}
