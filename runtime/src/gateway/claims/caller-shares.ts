import type { Principal } from '../../protocol/types.js';
import { countsByKey } from './counts-by-key.js';

/** Who holds places: a principal, and the tenant that it acts in. */
interface Caller {
  readonly principal: Principal;
  readonly tenantId?: string;
}

/** One key for each principal of each tenant, to count its work by. */
export function principalKey({ principal, tenantId }: Caller): string {
  return `${tenantId ?? ''}\n${principal.kind}\n${principal.id}`;
}

/** How many places callers may hold at once: all together, those of one tenant, and one principal. */
export interface ShareLimits {
  readonly total: number;
  readonly perTenant: number;
  readonly perPrincipal: number;
}

/** A bound that is reached. */
export interface FullShare {
  readonly scope: 'principal' | 'tenant' | 'server';
  readonly limit: number;
}

/** Places of one kind in this process, of which no tenant and no principal has all. */
export interface CallerShares {
  /** Takes a place; the returned function gives it back, once. Throws what the shares were opened with. */
  enter(caller: Caller): () => void;
}

/** Opens places; `refuse` makes the error for a caller of whom a bound is reached. */
export function openCallerShares(limits: ShareLimits, refuse: (full: FullShare) => Error): CallerShares {
  const held = countsByKey();
  return {
    enter: (caller) => {
      const bounds = [
        { scope: 'principal', key: `p ${principalKey(caller)}`, limit: limits.perPrincipal },
        { scope: 'tenant', key: `t ${caller.tenantId ?? ''}`, limit: limits.perTenant },
        { scope: 'server', key: 'all', limit: limits.total },
      ] as const;
      const full = bounds.find(({ key, limit }) => (held.counts.get(key) ?? 0) >= limit);
      if (full) throw refuse(full);
      const leave = bounds.map(({ key }) => held.add(key));
      return () => {
        for (const each of leave) each();
      };
    },
  };
}
