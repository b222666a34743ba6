import { expect, test } from 'vitest';
import { killProgram } from '../../../tools/kube-cluster/process/kill-program.ts';
import { waitReady } from '../../../tools/kube-cluster/process/ready.ts';
import { until } from '../../support/until.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { directGateway } from './support/direct-gateway.ts';
import { underLoad } from './support/load.ts';
import { podProcess } from './support/pods/pod-process.ts';
import { RELEASE } from './support/release.ts';
import { restartControllers } from './support/restart-controllers.ts';
import { needsThisMachine } from './support/this-machine.ts';

describeFleet('what happens while something is away', (release) => {
  const { kubectl } = release ?? {};
  const inRelease = (...args: string[]): Promise<string> => kubectl(...args, '-n', RELEASE.namespace);
  /** Follows a long stream while `work` is done; the follower must see each chunk once and the end. */
  const followed = async (work: () => Promise<void>): Promise<void> => {
    const input = JSON.stringify({ n: 60, interval_ms: 250 });
    const following = release.startAip('actions', 'submit', 'cap:demo:count', '--input', input, '--follow', '--json');
    await until('chunks come', () => following.lines().filter((line) => line.chunk).length > 5, 30_000);
    await work();
    const ended = await following.ended;
    const sequences = ended
      .lines()
      .flatMap((line) => (line.chunk ? [Number((line.chunk as { sequence: number }).sequence)] : []));
    expect(sequences).toEqual(Array.from({ length: 61 }, (_, n) => (sequences[0] as number) + n));
    expect(ended.lines().at(-1)).toMatchObject({ terminal: true, state: 'completed' });
  };

  test('a follower misses and repeats nothing when one gateway after the other is deleted', async () => {
    const outage = followed(async () => {
      for (const pod of await release.pods('gateway')) {
        await inRelease('delete', 'pod', pod, '--grace-period=1');
        await release.rolledOut('deployment/aip-gateway');
      }
    });
    await expect(outage).resolves.not.toThrow();
  });

  test.skipIf(needsThisMachine('a gateway that is killed'))(
    'a gateway that is killed under load loses no action and no event of a follower',
    async () => {
      const work = (): Promise<void> =>
        followed(async () => {
          const [pod] = (await release.pods('gateway')) as [string];
          process.kill(await podProcess(pod), 'SIGKILL');
          await until(
            'it was started again',
            async () =>
              (await inRelease('get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}')) ===
              '1',
            60_000,
          );
          await release.rolledOut('deployment/aip-gateway');
        });
      // What the gateway had read and not stored when it died was never accepted: its caller gets an error, and the action stays unknown.
      await underLoad(release, work, { forgiven: /OutcomeUncertain: .*; it is unknown$/ });
    },
  );

  test('without any controller hosts serve until their leases end, and work that was taken waits', async () => {
    const echo = (...more: string[]) =>
      release.aip('actions', 'submit', 'cap:demo:echo', '--input', '{"text":"x"}', '--json', ...more);
    const dids = (): Promise<string> => kubectl('get', 'crep', '-o', 'jsonpath={.items[*].spec.peerDid}');
    const before = await dids();
    let waiting: Awaited<ReturnType<typeof echo>>;
    await inRelease('scale', 'deployment', 'aip-controller', '--replicas=0');
    try {
      await until('the controllers are gone', async () => (await release.pods('controller')).length === 0, 60_000);
      expect((await echo()).code).toBe(0);
      await until(
        'the leases have ended',
        async () => (await echo()).stdout.includes('connector.replica_unavailable'),
        120_000,
      );
      waiting = await echo('--mode', 'async');
      expect(waiting.code).toBe(0);
    } finally {
      await inRelease('scale', 'deployment', 'aip-controller', '--replicas=2');
    }
    await release.ready('demo', 2);
    const id = (waiting.json() as { action_id: string }).action_id;
    expect((await release.aip('actions', 'follow', id, '--json')).lines().at(-1)).toMatchObject({ state: 'completed' });
    expect(await dids()).toBe(before);
  });

  test('the leading controller is killed in the middle of a rollout', async () => {
    await kubectl('patch', 'cinst', 'demo', '--type=merge', '-p', '{"spec":{"capacity":16}}');
    const leader = await until(
      'one of the controllers leads',
      async () => {
        const holder = await inRelease('get', 'lease', 'aip-controller', '-o', 'jsonpath={.spec.holderIdentity}');
        return (await release.pods('controller')).find((pod) => pod === holder);
      },
      60_000,
    );
    await inRelease('delete', 'pod', leader, '--grace-period=0', '--force');
    await release.ready('demo', 2);
    expect(await release.replicas('demo')).toHaveLength(2);
  });

  test.skipIf(needsThisMachine('an API server that is killed'))(
    'while the API server is away actions run and leases live on; then the controller does',
    async () => {
      const before = await release.replicas('demo');
      try {
        await underLoad(
          release,
          async (load) => {
            const start = await killProgram('kube-apiserver');
            // Longer than the leader leads without renewing.
            const sent = load.sent();
            const enough = until('a good many actions were sent', () => load.sent() > sent + 150, 120_000);
            await Promise.allSettled([enough]);
            const server = await start();
            await enough;
            await waitReady(server, async () => (await kubectl('get', '--raw', '/readyz')) === 'ok');
            await restartControllers(release);
            await kubectl('scale', 'cinst', 'demo', '--replicas=3');
            await release.ready('demo', 3);
          },
          { open: () => directGateway(release) },
        );
        expect((await release.replicas('demo')).slice(0, 2)).toEqual(before);
      } finally {
        await kubectl('scale', 'cinst', 'demo', '--replicas=2');
      }
      await release.ready('demo', 2);
    },
  );

  test('PostgreSQL is killed under load', async () => {
    const work = async (): Promise<void> => {
      const uid = (): Promise<string> =>
        inRelease('get', 'pod', 'aip-postgres-0', '-o', 'jsonpath={.metadata.uid}', '--ignore-not-found');
      const before = await uid();
      await inRelease('delete', 'pod', 'aip-postgres-0', '--grace-period=0', '--force');
      await until('it has another Pod', async () => !['', before].includes(await uid()), 60_000);
      await inRelease('wait', '--for=condition=Ready', 'pod/aip-postgres-0', '--timeout=180s');
      await release.ready('demo', 2);
    };
    await release.ready('demo', 2);
    // While there is no database a submit may be refused and an action may fail, once and with its receipts.
    await expect(underLoad(release, work, { forgiven: /was not taken|ended as failed/ })).resolves.not.toThrow();
  });
});
