import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DatabaseAddress, Pool } from '@aip/runtime/internal/postgres';
import { sha256Hex } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { KINDS } from '../../api/kinds.js';
import { dropHostDatabase, ensureHostDatabase, retainHostDatabase } from '../../fleet/host-database.js';
import type { Kube, KubeObject } from '../../kube/kube.js';
import { databaseSecretName } from '../objects/names.js';
import { instanceLabels, ownedBy } from '../objects/owned.js';
import { type Ensure, mustBeOwned } from './ensure.js';

const PASSWORD_BYTES = 24;

interface DatabaseSecret extends KubeObject {
  type: 'Opaque';
  data: { password: string; url: string; 'ca.crt'?: string };
}

/** The databases of hosts: a role and a schema an instance, the password in a Secret beside it (docs/kubernetes/reference.md). */
export interface Databases {
  ensure(instance: ConnectorInstance): Promise<void>;
  /** Whether hosts of the instance were given an address that has changed since. */
  isOutdated(instance: ConnectorInstance): boolean;
  drop(instance: ConnectorInstance): Promise<void>;
  /** Keeps the schema; its role can no longer log in. */
  retain(instance: ConnectorInstance): Promise<void>;
  /** The instance is going; what is remembered of it goes, too. */
  forget(instance: ConnectorInstance): void;
}

/** `address` is that of the controller's own role, which makes the others; it may change. */
export function openDatabases({
  kube,
  ensure,
  pool,
  address,
}: {
  kube: Pick<Kube, 'get' | 'replace' | 'delete'>;
  ensure: Ensure;
  pool: Pool;
  address(): DatabaseAddress;
}): Databases {
  /** By uid, the address that its Secret was made from. */
  const done = new Map<string, string>();
  const sourceOf = ({ url, ca }: DatabaseAddress): string => sha256Hex(`${url}\n${ca ?? ''}`);
  return {
    ensure: async (instance) => {
      const { name, namespace } = instance.metadata;
      const uid = instance.metadata.uid as string;
      const admin = address();
      const source = sourceOf(admin);
      const ref = { namespace, name: databaseSecretName(name) };
      const present = await kube.get<DatabaseSecret>(KINDS.secret, ref);
      if (present) await mustBeOwned(kube, KINDS.secret, present, instance);
      // Without its Secret no host would start: one that somebody removed is made again.
      if (present && done.get(uid) === source) return;
      const password = present ? text(present.data.password) : randomBytes(PASSWORD_BYTES).toString('hex');
      const secretFor = (own: string): DatabaseSecret => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...ref, labels: instanceLabels(name), ownerReferences: [ownedBy(instance)] },
        type: 'Opaque',
        data: { password: base64(password), url: base64(own) },
      });
      // The Secret first: a role whose password is lost would be useless.
      const made = present ?? (await ensure.created(KINDS.secret, instance, secretFor('')));
      const database = await ensureHostDatabase(pool, admin, uid, text(made.data.password));
      const { 'ca.crt': _, ...kept } = made.data;
      const ca = database.ca === undefined ? {} : { 'ca.crt': base64(database.ca) };
      const data = { ...kept, url: base64(database.url), ...ca };
      if (!isDeepStrictEqual(made.data, data)) await kube.replace(KINDS.secret, { ...made, data });
      done.set(uid, source);
    },
    isOutdated: ({ metadata: { uid } }) => {
      const made = done.get(uid as string);
      return made !== undefined && made !== sourceOf(address());
    },
    drop: async (instance) => {
      await dropHostDatabase(pool, instance.metadata.uid as string);
    },
    retain: async (instance) => {
      await retainHostDatabase(pool, instance.metadata.uid as string);
    },
    forget: (instance) => void done.delete(instance.metadata.uid as string),
  };
}

const base64 = (value: string): string => Buffer.from(value, 'utf8').toString('base64');
const text = (value: string): string => Buffer.from(value, 'base64').toString('utf8');
