import { PROGRAMS, type ProgramVariables } from '../system/settings/variables.ts';
import type { Mutation } from './read.ts';

/** Variables without which a program refuses to start, by the section of the program: every test of it notices when they are ignored. */
export const REFUSED_WITHOUT: Readonly<Record<string, readonly string[]>> = {
  Gateway: ['POSTGRES_URL', 'CONNECTOR_FLEET_SIGNING_SEED_FILE'],
  Host: [
    ...['PUBLIC_ENDPOINT', 'CONTROL_ENDPOINT', 'CONTROL_DID', 'GATEWAY_DID', 'GATEWAY_PRINCIPAL_ID', 'DATABASE_URL'],
    ...['SIGNING_SEED_FILE', 'TYPE_ID', 'VERSION_ID', 'INSTANCE_ID', 'REPLICA_ID', 'TENANT_ID', 'TRUST_DOMAIN'],
    ...['ARTIFACT_DIGEST', 'SECRET_PROVIDER_REF', 'CONNECTOR'],
  ],
  'Control plane': ['DATABASE_URL', 'SIGNING_SEED_FILE'],
  Controller: ['NAMESPACE', 'RELEASE', 'POD_NAME', 'TRUST_DOMAIN', 'RUNTIME_IMAGE', 'DATABASE_URL'],
};

/** Test files that start a program through a shared support file, and notice each variable between them. */
const TESTS_WITH: Readonly<Record<string, readonly string[]>> = {
  'test/runtime/gateway/support/process.ts': ['test/system/settings/gateway.test.ts'],
  'test/runtime/gateway/support/delegations.ts': ['test/runtime/gateway/peers/delegations/two-fleets.test.ts'],
  'test/runtime/host/support/testbed.ts': ['test/runtime/host/execution/stream.test.ts'],
  'test/system/fleet/trust/trust-testbed.ts': [
    'test/system/fleet/trust/certificates.test.ts',
    'test/system/fleet/trust/rotation.test.ts',
  ],
  'test/system/kube/controller/support/fleet.ts': [
    'test/system/kube/controller/ownership.test.ts',
    'test/system/kube/controller/leaders.test.ts',
  ],
  'test/system/settings/support.ts': ['test/system/settings/gateway-queue.test.ts'],
};

/** Where every program reads its variables. */
const READER = 'runtime/src/transport/settings/env.ts';
const FULL_NAME = 'const full = (name: string): string => prefix + name;';

/** How the lists name the program of a variable. */
const OF_PROGRAM: Readonly<Record<string, string>> = { Host: ' of a host', 'Control plane': ' of a control plane' };

/**
 * For each variable of each program, but for those that it refuses to start without and those of which a fault that is `listed` loses the value:
 * the program does not read it.
 */
export function settingFaults(
  listed: readonly Pick<Mutation, 'what'>[],
  programs: readonly ProgramVariables[] = PROGRAMS,
): Mutation[] {
  const written = new Set(listed.map(({ what }) => what));
  return programs.flatMap(({ section, prefix, tests }) =>
    Object.entries(tests)
      .filter(([name]) => !REFUSED_WITHOUT[section]?.includes(name))
      .filter(([name]) => !written.has(`setting ignored: ${name}${OF_PROGRAM[section] ?? ''}`))
      .map(([name, file]) => ({
        what: `setting ignored: ${prefix}${name}`,
        name: prefix + name,
        variable: name,
        file: READER,
        from: FULL_NAME,
        to: `const full = (name: string): string => (prefix + name === '${prefix}${name}' ? '' : prefix + name);`,
        tests: TESTS_WITH[file] ?? [file],
      })),
  );
}
