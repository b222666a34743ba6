import { KINDS } from '@aip/controller/internal/api';
import type { PrincipalEntry } from '@aip/controller/internal/fleet';
import { KubeConflict } from '@aip/controller/internal/kube';
import { DATA, type SecretObject, secretText, trustNames } from '@aip/controller/internal/trust';
import { CliError } from '../client/errors.js';
import type { Cluster } from '../kube/cluster.js';

/** Tries against others who change the Secret at the same time. */
const ATTEMPTS = 8;

/** Changes the principals of a release: read, change, replace what was read. Gives `namespace/name` of the Secret. Throws CliError, KubeError. */
export async function changeSecret(
  { kube, target }: Pick<Cluster, 'kube' | 'target'>,
  change: (entries: PrincipalEntry[]) => PrincipalEntry[],
): Promise<string> {
  const ref = { namespace: target.namespace, name: trustNames(target.release).principals };
  const shown = `${ref.namespace}/${ref.name}`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const secret = await kube.get<SecretObject>(KINDS.secret, ref);
    if (!secret)
      throw new CliError(
        'cli.principals_unusable',
        `There is no Secret ${shown}.`,
        'The controller makes it at its start: `aip doctor` shows whether it runs.',
      );
    const before = entriesIn(secret, shown);
    const entries = change(before);
    if (entries === before) return shown;
    const text = Buffer.from(`${JSON.stringify(entries, null, 2)}\n`).toString('base64');
    try {
      await kube.replace(KINDS.secret, { ...secret, data: { ...secret.data, [DATA.principals]: text } });
      return shown;
    } catch (error) {
      if (!(error instanceof KubeConflict)) throw error;
    }
  }
  throw new CliError(
    'cli.principals_unusable',
    `The Secret ${shown} is being changed all the time.`,
    'Try again in a moment.',
  );
}

function entriesIn(secret: SecretObject, shown: string): PrincipalEntry[] {
  const text = secretText(secret, DATA.principals) ?? '[]';
  try {
    const entries: unknown = JSON.parse(text);
    if (Array.isArray(entries)) return entries as PrincipalEntry[];
  } catch {}
  throw new CliError(
    'cli.principals_unusable',
    `The Secret ${shown} holds no list of principals under ${DATA.principals}.`,
    'Put it back from a backup, or delete it: the controller makes it again.',
  );
}
