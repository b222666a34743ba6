import { delimiter, resolve } from 'node:path';
import { UsageError } from '../client/errors.js';
import { originOf, readText, tokenFrom } from './connection.js';
import { type AipContext, DEV_CONTEXT, isContextName } from './context.js';
import { changeContexts } from './contexts-file.js';

/** What the user gave for a new context. */
export interface NewContext {
  name: string;
  gateway?: string | undefined;
  tokenFile?: string | undefined;
  caFile?: string | undefined;
  tenant?: string | undefined;
  fromCluster: boolean;
  kubeconfig?: string | undefined;
  kubeContext?: string | undefined;
  namespace?: string | undefined;
  release?: string | undefined;
  replace: boolean;
  /** Whether it is in use from now on; by default when there is none in use and no other to choose. */
  use?: boolean | undefined;
}

/** Makes a context and writes it; says whether it is in use now. Throws CliError and what reading the cluster throws. */
export async function addContext(
  request: NewContext,
  env: NodeJS.ProcessEnv,
): Promise<{ context: AipContext; inUse: boolean }> {
  if (!isContextName(request.name))
    throw new UsageError(
      request.name === DEV_CONTEXT
        ? `${DEV_CONTEXT} stands for the running \`aip dev\`.`
        : `${JSON.stringify(request.name)} can't be the name of a context.`,
      'A name has 1 to 64 letters, digits, dots, dashes, underscores or @, and begins with a letter or digit.',
    );
  const context = request.fromCluster ? await fromCluster(request, env) : await byHand(request);
  let inUse = false;
  await changeContexts(env, (contexts) => {
    const others = contexts.contexts.filter(({ name }) => name !== request.name);
    if (others.length < contexts.contexts.length && !request.replace)
      throw new UsageError(`There is a context ${request.name} already.`, 'Replace it with --replace.');
    const use = request.use ?? (contexts.current === undefined && others.length === 0);
    inUse = use || contexts.current === request.name;
    return {
      ...contexts,
      ...(use ? { current: request.name } : {}),
      contexts: [...others, context],
    };
  });
  return { context, inUse };
}

async function byHand(request: NewContext): Promise<AipContext> {
  if (request.gateway === undefined)
    throw new UsageError(
      'A context needs the address of its gateway.',
      'Give it with --gateway URL, or read it from a cluster with --from-cluster.',
    );
  if (request.tokenFile !== undefined) await tokenFrom(request.tokenFile);
  if (request.caFile !== undefined) await readText(request.caFile, 'certificate');
  return {
    name: request.name,
    gateway_url: originOf(request.gateway),
    ...(request.tokenFile === undefined ? {} : { token_file: resolve(request.tokenFile) }),
    ...(request.caFile === undefined ? {} : { ca_file: resolve(request.caFile) }),
    ...(request.tenant === undefined ? {} : { tenant: request.tenant }),
  };
}

async function fromCluster(request: NewContext, env: NodeJS.ProcessEnv): Promise<AipContext> {
  const { openCluster } = await import('../kube/cluster.js');
  const { findFleet, findRelease } = await import('./from-cluster.js');
  // A list of files is merged again each time; one file is kept by its path, whatever the variable says later.
  const kubeconfig = request.kubeconfig ?? (env.KUBECONFIG?.includes(delimiter) ? undefined : env.KUBECONFIG);
  const { kube, target: named } = await openCluster({
    ...(kubeconfig ? { kubeconfig: resolve(kubeconfig) } : {}),
    ...(request.kubeContext === undefined ? {} : { context: request.kubeContext }),
    namespace: '',
    release: '',
  });
  const read = async () => {
    const target = { ...named, ...(await findRelease(kube, request)) };
    return { target, found: await findFleet(kube, target, request.tenant) };
  };
  const { target, found } = await read().finally(() => kube.close());
  const token = request.tokenFile === undefined ? { token: found.token } : { token_file: resolve(request.tokenFile) };
  const ca = request.caFile === undefined ? { ca: found.ca } : { ca_file: resolve(request.caFile) };
  return {
    name: request.name,
    ...(request.gateway === undefined ? {} : { gateway_url: originOf(request.gateway) }),
    ...token,
    ...ca,
    tenant: found.tenant,
    // The kubeconfig's current context may change; what this one means may not.
    kube: target,
  };
}
