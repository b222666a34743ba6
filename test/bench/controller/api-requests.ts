/** What a controller does to lead is no work for instances. */
const LEASE = 'leases';

/** Requests by kind, such as `POST pods` or `APPLY connectorreplicas/status`. */
export type Requests = ReadonlyMap<string, number>;

/** Requests that a controller has made, whatever was answered, from its `aip_controller_api_requests_total`; those for its lease are left out. */
export function apiRequests(metrics: string): Requests {
  const found = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    if (!line.startsWith('aip_controller_api_requests_total{')) continue;
    const label = (name: string): string => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? '';
    if (label('resource') === LEASE) continue;
    const key = `${label('verb')} ${label('resource')}`;
    found.set(key, (found.get(key) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return found;
}

/** Is it a read? Of watches, only the beginning is a request. */
export function isRead(key: string): boolean {
  return /^(GET|LIST|WATCH) /.test(key);
}

/** What came since. */
export function since(before: Requests, after: Requests): Requests {
  const rest = [...after].map(([key, count]) => [key, count - (before.get(key) ?? 0)] as const);
  return new Map(rest.filter(([, count]) => count > 0));
}

/** All writes, or all reads, of a count. */
export function sum(requests: Requests, what: 'writes' | 'reads'): number {
  return [...requests]
    .filter(([key]) => isRead(key) === (what === 'reads'))
    .reduce((total, [, count]) => total + count, 0);
}
