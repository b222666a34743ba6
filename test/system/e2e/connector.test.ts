import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeFleet } from './support/describe-fleet.ts';
import { ROOT } from './support/release.ts';

/** The resource that the guide shows. */
async function shownResource(): Promise<{ spec: { connector: { image: string } } }> {
  const guide = await readFile(join(ROOT, 'docs/kubernetes/connector.md'), 'utf8');
  return parse(/```yaml\n([\s\S]*?)```/.exec(guide)?.[1] as string);
}

describeFleet('a connector of one’s own, as docs/kubernetes/connector.md says', (release) => {
  const { kubectl } = release ?? {};
  const greet = async (): Promise<unknown> => {
    const submitted = await release.aip(
      ...['actions', 'submit', 'cap:greeter:greet', '--input', '{"name":"Ada"}', '--follow', '--json'],
    );
    expect(submitted.code, submitted.stderr).toBe(0);
    return submitted.lines().at(-1);
  };

  test('image, namespace, resource, action, new configuration', async () => {
    await kubectl('create', 'namespace', 'acme');
    try {
      await kubectl(
        ...['annotate', 'namespace', 'acme', 'fleet.aip.dev/tenants=acme', 'fleet.aip.dev/connector-types=greeter'],
      );
      await kubectl('label', 'namespace', 'acme', 'pod-security.kubernetes.io/enforce=restricted');
      const resource = await shownResource();
      resource.spec.connector.image = release.cluster.images.greeter;
      await release.apply(resource);
      await kubectl('-n', 'acme', 'wait', '--for=condition=Ready', 'connectorinstance/greeter', '--timeout=2m');
      await release.aip('context', 'add', 'acme', '--from-cluster', '-n', 'aip', '--tenant', 'acme', '--use');
      expect(await greet()).toMatchObject({ state: 'completed', result: { output: { text: 'Hi, Ada!' } } });

      const spec = { config: { greeting: 'Good day' } };
      await kubectl('-n', 'acme', 'patch', 'cinst', 'greeter', '--type=merge', '-p', JSON.stringify({ spec }));
      await release.ready('greeter', 2, 'acme');
      expect(await greet()).toMatchObject({ state: 'completed', result: { output: { text: 'Good day, Ada!' } } });
    } finally {
      await kubectl('delete', 'namespace', 'acme', '--timeout=240s');
    }
  });
});
