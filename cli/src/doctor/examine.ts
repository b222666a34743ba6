import { stat } from 'node:fs/promises';
import { defaultDataDir } from '@aip/controller/internal/data-folder';
import { ClientError } from '@aip/runtime/internal/gateway';
import { adviceOf } from '../client/errors.js';
import { chooseTarget } from '../contexts/choose-target.js';
import { type ConnectionFlags, connect, readDev } from '../contexts/connection.js';
import { contextsPath, readContexts } from '../contexts/contexts-file.js';
import { isAsWanted, problemOfInstance, readDevStatus } from '../fleet/dev-status.js';
import { openClusterContext } from '../fleet/fleet-source.js';
import { type Finding, finding } from './check.js';
import { checkDatabaseRights } from './check-database.js';
import { checkGateway } from './check-gateway.js';

/** Examines everything between this machine and the fleet, one group after the other; each is reported when it is known. */
export async function* examine(flags: ConnectionFlags, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield finding.ok('node', `Node.js ${process.versions.node}`);
  yield* await contextsFile(env);
  if (env.AIP_REGISTRY_URL) yield* await checkDatabaseRights(env.AIP_REGISTRY_URL);
  const target = await chooseTarget(flags, env, () => readContexts(env)).catch(reportedAs('context'));
  if ('check' in target) return yield target;
  if (target.kind === 'dev') return yield* examineDev(target.data ?? defaultDataDir(env), flags, env);
  const { context } = target;
  yield finding.ok('fleet', target.kind === 'url' ? target.url : (context?.name ?? ''));
  yield* await gateway(flags, env);
  if (!context?.kube) return;
  const opened = await openClusterContext(context).catch(reportedAs('cluster'));
  if ('check' in opened) return yield opened;
  const { checkCluster } = await import('./check-cluster.js');
  yield* await checkCluster(opened.cluster).finally(() => opened.cluster.kube.close());
}

/** A running `aip dev`: its gateway, and each instance that needs a person. */
async function* examineDev(dataDir: string, flags: ConnectionFlags, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  if (!(await readDev(dataDir))) {
    const advice = 'Start one with `aip dev --demo`, or name yours with --gateway, --context or `aip context use`.';
    return yield finding.fail('fleet', `no gateway is configured and no \`aip dev\` runs on ${dataDir}`, advice);
  }
  yield finding.ok('fleet', `the \`aip dev\` on ${dataDir}`);
  yield* await gateway(flags, env);
  const status = await readDevStatus(dataDir);
  if (!status) return yield finding.fail('instances', 'the `aip dev` has ended', 'Start it again with `aip dev`.');
  const ready = status.instances.filter(isAsWanted).length;
  if (ready === status.instances.length) yield finding.ok('instances', `${ready} of ${ready} ready`);
  for (const instance of status.instances) {
    const problem = problemOfInstance(instance);
    if (!problem && isAsWanted(instance)) continue;
    const message = `${instance.name}: ${problem ? `${problem.reason}: ${problem.message}` : 'not ready yet'}`;
    const advice = `aip fleet describe ${instance.name}`;
    yield problem ? finding.fail('instances', message, advice) : finding.warn('instances', message, advice);
  }
}

/** Others may not read the tokens. */
async function contextsFile(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const file = contextsPath(env);
  const found = await stat(file).catch(() => undefined);
  if (!found) return [finding.ok('contexts', 'none yet; `aip context add` makes one')];
  if ((found.mode & 0o077) === 0) return [finding.ok('contexts', file)];
  return [finding.warn('contexts', `others may read ${file}, which holds tokens`, `chmod 600 ${file}`)];
}

async function gateway(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const connection = await connect(flags, env).catch(reportedAs('gateway'));
  if ('check' in connection) return [connection];
  try {
    return await checkGateway(connection.gateway);
  } finally {
    await connection.close();
  }
}

/** A failure that the CLI has words for becomes a line. */
function reportedAs(check: string): (error: unknown) => Finding {
  return (error) => {
    if (!(error instanceof ClientError)) throw error;
    return finding.fail(check, error.message, adviceOf(error) ?? '');
  };
}
