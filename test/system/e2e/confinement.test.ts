import { expect, test } from 'vitest';
import { describeFleet } from './support/describe-fleet.ts';
import { confinementOf } from './support/pods/inside.ts';
import { RELEASE } from './support/release.ts';

const USER = '65532';
const NONE = '0000000000000000';
const SECCOMP_FILTER = '2';
const TOKEN = ['ca.crt', 'namespace', 'token'].map((file) => `kubernetes.io/serviceaccount/${file}`);

describeFleet('the Pods of the fleet, seen from inside', (release) => {
  const firstOf = async (component: 'controller' | 'gateway') => {
    const [name] = (await release.pods(component)) as [string];
    return { name, namespace: RELEASE.namespace };
  };

  test.each([
    ['a host', async () => ({ name: (await release.replicas('demo'))[0] as string, namespace: 'default' }), []],
    ['a gateway', () => firstOf('gateway'), []],
    ['the control plane, which alone needs a token', () => firstOf('controller'), TOKEN],
  ] as const)(
    '%s: its own user, no capability, no way to gain one, seccomp, a root nobody can write to, no token but its own',
    async (_title, pod, token) => {
      const { processes, secrets, writes, writable } = await confinementOf(release.kubectl, await pod());
      expect(processes.length).toBeGreaterThan(0);
      for (const { Uid, Gid, NoNewPrivs, Seccomp, ...capabilities } of processes) {
        for (const ids of [Uid, Gid]) expect(new Set(ids.split('\t'))).toEqual(new Set([USER]));
        expect(new Set(Object.values(capabilities))).toEqual(new Set([NONE]));
        expect({ NoNewPrivs, Seccomp }).toEqual({ NoNewPrivs: '1', Seccomp: SECCOMP_FILTER });
      }
      expect(new Set(Object.values(writes))).toEqual(new Set(['EROFS']));
      expect(writable.filter((path) => !['/run/aip', '/tmp'].includes(path))).toEqual([]);
      expect(secrets).toEqual(token);
    },
  );
});
