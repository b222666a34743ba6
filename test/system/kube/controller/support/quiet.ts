import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../../support/until.ts';
import type { Controller, KubeFleet } from './fleet.ts';

/** Kinds that the fleet writes, but for leases. */
const WRITTEN = 'cinst,crep,pods,secrets,configmaps,services,pdb';

/** Version of every object of these kinds, by kind and name. */
export async function versions(fleet: KubeFleet): Promise<Record<string, string>> {
  const line = '{.kind}/{.metadata.namespace}/{.metadata.name}={.metadata.resourceVersion} ';
  const text = await fleet.kubectl(['get', WRITTEN, '-A', '-o', `jsonpath={range .items[*]}${line}{end}`]);
  const objects = text.split(' ').flatMap((entry) => (entry ? [entry.split('=') as [string, string]] : []));
  interface Told {
    metadata: { namespace: string; name: string; resourceVersion: string };
    reportingController: string;
  }
  const { items } = await fleet.json<{ items: Told[] }>(['get', 'events.events.k8s.io', '-A']);
  const events = items
    .filter(({ reportingController }) => reportingController.startsWith('fleet.aip.dev/'))
    .map(({ metadata }) => [`Event/${metadata.namespace}/${metadata.name}`, metadata.resourceVersion] as const);
  return Object.fromEntries([...objects, ...events]);
}

/** A round that is due comes within 2 s. */
const REST_MS = 2500;

/** Value of a counter of a controller: all its series with a label together. */
export async function counter(controller: Controller, name: string, label = ''): Promise<number> {
  const { text } = await controller.admin('/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** What a controller did while it had nothing to do: objects whose version changed, and rounds of instances. */
export async function during(
  ms: number,
  fleet: KubeFleet,
  controller: Controller,
): Promise<{ written: string[]; rounds: number }> {
  const rounds = () => counter(controller, 'aip_controller_reconcile_seconds_count', 'queue="instance"');
  // What came before may leave each instance one more look; one that never ends fails here.
  await until('the controller is at rest', async () => {
    const seen = await rounds();
    await pause(REST_MS);
    return (await rounds()) === seen;
  });
  const [before, roundsBefore] = await Promise.all([versions(fleet), rounds()]);
  // The one thing that cannot be waited for is that nothing happens.
  await pause(ms);
  const [after, roundsAfter] = await Promise.all([versions(fleet), rounds()]);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  // What is said of the node itself is the cluster's own.
  const written = keys.filter((key) => before[key] !== after[key] && !key.startsWith('Event/default/fake.'));
  return { written, rounds: roundsAfter - roundsBefore };
}
