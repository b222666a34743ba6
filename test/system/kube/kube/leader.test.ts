import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import type { Lease } from '#controller/kube/run/lease-record.js';
import { until } from '../../../support/until.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';

const PROGRAM = join(import.meta.dirname, 'support', 'elector-process.ts');

/** A process that takes part, and what it told last. */
interface Elector {
  identity: string;
  child: ChildProcess;
  leading: boolean;
  /** What the process itself says now. */
  ask(): Promise<{ isLeader: boolean; holder: string | undefined }>;
  exited: Promise<unknown>;
}

describeKube('an election among processes', () => {
  let api: ApiServer;
  let kube: OpenKube;
  const electors: Elector[] = [];

  beforeAll(async () => {
    api = await startApiServer();
    kube = await openKube({ kubeconfig: api.kubeconfig });
  });
  afterAll(async () => {
    for (const { child } of electors) child.kill('SIGKILL');
    await kube?.close();
    await api?.stop();
  });

  const start = (identity: string): Elector => {
    const child = fork(PROGRAM, [api.kubeconfig, identity], { execArgv: [] });
    const asked: ((answer: never) => void)[] = [];
    const elector: Elector = {
      identity,
      child,
      leading: false,
      ask: () =>
        new Promise((answer) => {
          asked.push(answer);
          child.send('ask');
        }),
      exited: new Promise((done) => child.once('exit', done)),
    };
    child.on('message', (message: { leading?: boolean }) => {
      if (message.leading === undefined) asked.shift()?.(message as never);
      else elector.leading = message.leading;
    });
    electors.push(elector);
    return elector;
  };
  const lease = async (): Promise<Lease['spec']> =>
    (await kube.get<Lease>(KINDS.lease, { namespace: 'default', name: 'elected' }))?.spec;

  test('one leads; killed, frozen or stopped, it is followed by another, and never do two lead', async () => {
    const a = start('a');
    await until('a leads', () => a.leading);
    const b = start('b');
    await until('b knows a', async () => (await b.ask()).holder === 'a');

    a.child.kill('SIGKILL');
    await a.exited;
    await until('b leads', () => b.leading);
    expect(await lease()).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 3 });

    const c = start('c');
    await until('c knows b', async () => (await c.ask()).holder === 'b');
    b.child.kill('SIGSTOP');
    await until('c leads', () => c.leading);
    const thawed = b.ask();
    b.child.kill('SIGCONT');
    expect((await thawed).isLeader).toBe(false);
    await until('b knows that it is over', () => !b.leading);
    await until('b knows c', async () => (await b.ask()).holder === 'c');
    expect((await c.ask()).isLeader).toBe(true);

    c.child.kill('SIGTERM');
    await c.exited;
    expect(c.child.exitCode).toBe(0);
    await until('b leads again', () => b.leading);
    const last = await lease();
    expect(last?.holderIdentity).toBe('b');
    expect(last?.leaseTransitions).toBeGreaterThanOrEqual(3);
  });
});
