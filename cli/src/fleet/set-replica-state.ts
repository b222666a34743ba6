import { KINDS } from '@aip/controller/internal/api';
import { dataPaths, type LocalState, readJson } from '@aip/controller/internal/data-folder';
import { KubeNotFound } from '@aip/controller/internal/kube';
import { shownName } from '@aip/controller/internal/names';
import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { CliError, UsageError } from '../client/errors.js';
import type { ReplicaObject } from '../kube/objects.js';
import { progress } from '../progress/progress.js';
import { ask } from './dev-requests.js';
import { type FleetFlags, openFleetSource } from './fleet-source.js';
import { runningDev } from './running-dev.js';

/** How long a running `aip dev` may take to answer, in ms. */
const ANSWER_MS = 10_000;

/** Drains or resumes one replica; gives its `namespace/name`. Throws CliError, KubeError. */
export async function setReplicaState(
  named: string,
  state: 'Drained' | 'Ready',
  flags: FleetFlags & { namespace?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const [first, second] = named.split('/', 2);
  const name = second ?? first ?? '';
  const namespace = (second === undefined ? undefined : first) ?? flags.namespace;
  const source = await openFleetSource(flags, env);
  if (source.kind === 'cluster') {
    const { kube } = source.cluster;
    try {
      const { items } = await kube.list<ReplicaObject>(KINDS.connectorReplica, { namespace });
      const key = only(
        items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
        name,
        namespace,
      );
      const [place = '', replica = ''] = key.split('/');
      await kube.merge(KINDS.connectorReplica, { namespace: place, name: replica }, { spec: { desiredState: state } });
      return key;
    } catch (error) {
      if (error instanceof KubeNotFound) throw new UsageError(`There is no replica ${named}.`);
      throw error;
    } finally {
      await kube.close();
    }
  }
  if (source.dataDir === undefined)
    throw new UsageError(
      "A registry alone can't drain a host.",
      'Name a cluster with --context, or an `aip dev` with --data.',
    );
  const paths = dataPaths(source.dataDir);
  if (!(await runningDev(paths))) throw new CliError('cli.dev_not_running', `No \`aip dev\` runs on ${paths.root}.`);
  const known = Object.keys((await readJson<LocalState>(paths.state))?.replicas ?? {});
  const key = only(known, name, namespace);
  progress.about(`Waiting until ${shownName(key)} ${state === 'Drained' ? 'has drained' : 'is resumed'}`);
  const answer = await ask(paths.requests, { replica: key, drained: state === 'Drained', timeoutMs: ANSWER_MS });
  if (!answer) throw new CliError('cli.dev_not_running', `The \`aip dev\` on ${paths.root} did not answer in time.`);
  if ('error' in answer) throw new CliError('cli.replica_not_changed', answer.error);
  return key;
}

function only(keys: readonly string[], name: string, namespace: string | undefined): string {
  const found = keys.filter((key) => {
    const [place, own] = key.split('/');
    return own === name && (namespace === undefined || place === namespace);
  });
  const [key, ...others] = found;
  if (key === undefined) {
    const near = didYouMean(
      similar(
        name,
        keys.map((each) => each.split('/')[1] ?? ''),
      ),
    );
    throw new UsageError(`There is no replica ${name}.`, near ?? '`aip fleet replicas` shows those there are.');
  }
  if (others.length > 0)
    throw new UsageError(`There are several replicas ${name}.`, 'Name the namespace with --namespace.');
  return key;
}
