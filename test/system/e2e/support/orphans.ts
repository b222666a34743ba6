import { runInside } from './pods/inside.ts';
import { RELEASE, type Release } from './release.ts';

interface Item {
  kind: string;
  metadata: { namespace: string; name: string; uid: string; ownerReferences?: { uid: string }[] };
}

const CHILDREN = 'pods,secrets,services,configmaps,poddisruptionbudgets,networkpolicies';

/** What belongs to an instance or a replica that is not there any more: objects of the cluster, records of replicas in the registry. */
export async function orphans({ json, kubectl }: Release): Promise<string[]> {
  const list = async (...args: string[]): Promise<Item[]> =>
    (await json<{ items: Item[] }>('get', ...args, '-A')).items;
  const children = await list(CHILDREN, '-l', 'fleet.aip.dev/instance');
  const records = (await sql(kubectl, 'SELECT id FROM registry.replicas')) as { id: string }[];
  // Owners are read last: what they own now may be younger.
  const owners = await list('connectorinstances,connectorreplicas');
  const live = new Set(owners.map(({ metadata }) => metadata.uid));
  const known = new Set(
    owners
      .filter(({ kind }) => kind === 'ConnectorReplica')
      .map(
        ({ metadata: { namespace, name, uid } }) => `crepl_${namespace}.${name}.${uid.replaceAll('-', '').slice(0, 8)}`,
      ),
  );
  return [
    ...children
      .filter(({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => live.has(uid)))
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`),
    ...records.filter(({ id }) => !known.has(id)).map(({ id }) => `record ${id}`),
  ];
}

/** Rows of a query, asked as the fleet's own user in a gateway's Pod, which has the client, the URL and the authority of the server. */
export async function sql(kubectl: Release['kubectl'], query: string): Promise<unknown[]> {
  const program = `
    import { existsSync, readFileSync } from 'node:fs';
    import pg from 'pg';
    const url = new URL(readFileSync('/run/aip/database/url', 'utf8').trim());
    url.searchParams.delete('sslmode');
    const ca = '/etc/aip/database-ca/ca.crt';
    const ssl = existsSync(ca) ? { ca: readFileSync(ca, 'utf8'), servername: url.hostname } : undefined;
    const client = new pg.Client({ connectionString: url.href, ssl });
    await client.connect();
    process.stdout.write(JSON.stringify((await client.query(process.argv[1])).rows));
    await client.end();`;
  const gateway = { name: 'deployment/aip-gateway', namespace: RELEASE.namespace };
  return JSON.parse(await runInside(kubectl, gateway, program, query)) as unknown[];
}
