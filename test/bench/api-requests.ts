/** Kinds that only the controller, the fake node and the bench itself ask for or write; the API server's own controllers leave them alone. */
const RESOURCES = new Set([
  'connectorinstances',
  'connectorreplicas',
  'pods',
  'secrets',
  'services',
  'poddisruptionbudgets',
  'events',
]);
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE']);

/** Requests by kind, such as `POST pods` or `APPLY connectorreplicas/status`. */
export type Requests = ReadonlyMap<string, number>;

/**
 * Requests that the API server has answered with success or refused, from its `apiserver_request_total`. Watches are left out, as is what others
 * than the controller do: status and binding of Pods (the node), status of disruption budgets, reads of lists.
 */
export function apiRequests(metrics: string): Requests {
  const found = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue;
    const label = (name: string): string => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? '';
    const verb = label('verb');
    const resource = label('resource');
    const subresource = label('subresource');
    if (!RESOURCES.has(resource) || (verb !== 'GET' && !WRITES.has(verb))) continue;
    // Secrets go with their owners: the garbage collector's work.
    if (key(verb, resource) === 'DELETE secrets') continue;
    if (subresource !== '' && !resource.startsWith('connector')) continue;
    const name = key(verb, resource + (subresource && `/${subresource}`));
    found.set(name, (found.get(name) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return found;
}

const key = (verb: string, resource: string): string => `${verb} ${resource}`;

/** What came since, without what is known to be of others. */
export function since(before: Requests, after: Requests, others: Requests = new Map()): Requests {
  const rest = [...after].map(
    ([key, count]) => [key, count - (before.get(key) ?? 0) - (others.get(key) ?? 0)] as const,
  );
  return new Map(rest.filter(([, count]) => count > 0));
}

/** All writes, or all reads, of a count. */
export function sum(requests: Requests, what: 'writes' | 'reads'): number {
  return [...requests]
    .filter(([key]) => key.startsWith('GET ') === (what === 'reads'))
    .reduce((total, [, count]) => total + count, 0);
}
