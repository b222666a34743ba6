import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../process/command.ts';
import { freePorts } from '../process/ports.ts';
import { ensureTools, type ToolOptions } from '../programs/tools.ts';
import { API_SERVER_PROGRAMS } from '../programs/versions.ts';
import { COMPONENTS, type ComponentName, type ControlPlaneSettings } from './control-plane.ts';
import { type Credential, kubeconfig, writeKubeconfig } from './kubeconfig.ts';
import { createPki } from './pki.ts';
import { controlPlaneProcesses } from './processes.ts';

export interface ApiServerOptions extends ToolOptions {
  /** Folder of certificates, database and logs; kept by `stop`. Default: a folder of its own under the temporary one, which `stop` removes. */
  readonly folder?: string;
}

/**
 * A Kubernetes API without nodes: etcd, kube-apiserver and kube-controller-manager on loopback ports of their own. Objects, watches, RBAC, quotas,
 * garbage collection, namespaces and service accounts are the real ones; Pods stay Pending. Any number may run at once.
 */
export interface ApiServer {
  readonly url: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly folder: string;
  /** Path of `kubectl`. */
  readonly kubectlPath: string;
  /** Runs kubectl as the administrator, `input` on its standard input, and returns what it prints. Throws CommandFailed. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Writes a kubeconfig for another user (client certificate), who has no rights until RBAC gives some; returns its path. */
  kubeconfigForUser(user: string, groups?: readonly string[]): Promise<string>;
  /** Writes a kubeconfig for a service account (a token of an hour), which must exist; returns its path. */
  kubeconfigForServiceAccount(namespace: string, name: string): Promise<string>;
  /** Process id of a program, for faults of its own making (SIGSTOP, SIGCONT). */
  pid(name: ComponentName): number;
  /** SIGKILLs programs, all by default, and returns when they are gone. */
  kill(names?: readonly ComponentName[]): Promise<void>;
  /** Kills programs, all by default, starts them on the same ports and data, and returns when the API is ready. */
  restart(names?: readonly ComponentName[]): Promise<void>;
  /** Ends everything; safe to call twice. */
  stop(): Promise<void>;
}

/** Starts a Kubernetes API and waits until it is ready (about 3 s). Throws ClusterUnavailable, ProgramFailed. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const tools = await ensureTools(API_SERVER_PROGRAMS, options);
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'aip-api-server-')));
  const removeFolder = async (): Promise<void> => {
    if (!options.folder) await rm(folder, { recursive: true, force: true });
  };
  try {
    return await startIn(folder, tools, removeFolder);
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

type Tools = Readonly<Record<(typeof API_SERVER_PROGRAMS)[number], string>>;

async function startIn(folder: string, tools: Tools, stopped: () => Promise<void>): Promise<ApiServer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [etcd, etcdPeer, api] = (await freePorts(3)) as [number, number, number];
  const settings: ControlPlaneSettings = { folder, ports: { etcd, etcdPeer, api }, bindAddress: '127.0.0.1' };
  const url = `https://127.0.0.1:${api}`;
  const pki = await createPki(folder);
  const write = (name: string, credential: Credential, namespace?: string): Promise<string> =>
    writeKubeconfig(join(folder, `${name}.kubeconfig`), kubeconfig(url, pki.authority.cert, credential, namespace));
  const admin = await write('admin', pki.admin);
  await write('kube-controller-manager', await pki.authority.client('system:kube-controller-manager'));

  const processes = controlPlaneProcesses(settings, pki, tools);
  await processes.start(COMPONENTS);
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    run(tools.kubectl, ['--kubeconfig', admin, ...args], input === undefined ? {} : { input });
  return {
    url,
    kubeconfig: admin,
    folder,
    kubectlPath: tools.kubectl,
    kubectl,
    kubeconfigForUser: async (user, groups) =>
      write(`user-${user.replaceAll(/[^a-zA-Z0-9.-]/g, '-')}`, await pki.authority.client(user, groups)),
    kubeconfigForServiceAccount: async (namespace, name) => {
      const token = (await kubectl(['create', 'token', name, '--namespace', namespace])).trim();
      return write(`service-account-${namespace}-${name}`, { token }, namespace);
    },
    pid: processes.pid,
    kill: (names = COMPONENTS) => processes.kill(names),
    restart: async (names = COMPONENTS) => {
      await processes.kill(names);
      await processes.start(names);
    },
    stop: async () => {
      await processes.kill(COMPONENTS);
      await stopped();
    },
  };
}
