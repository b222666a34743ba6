import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { LABELS } from '#controller/api/group.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import { type ApiServer, startApiServer } from '../../../../../tools/kube-cluster/control-plane/api-server.ts';
import { until } from '../../../../support/until.ts';
import { established } from '../../support/established.ts';
import { type FakeNode, startFakeNode } from '../../support/fake-node.ts';
import type { PodCredentials } from '../../support/service-account.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const CONTROLLER = join(ROOT, 'controller', 'bin', 'aip-controller.js');
export const RELEASE_NAMESPACE = 'aip';
/** Image of the release; nothing of it is ever pulled here. */
export const RUNTIME_IMAGE = `registry.test/aip/runtime@sha256:${'a'.repeat(64)}`;

/** A controller process under test. */
export interface Controller {
  readonly name: string;
  readonly process: ChildProcess;
  /** Everything it has logged. */
  log(): string;
  /** Text of a path of its admin port, such as `/metrics`, with the status. */
  admin(path: string): Promise<{ status: number; text: string }>;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/** How a controller process is started. */
export interface ControllerProcess {
  nodeOptions?: readonly string[];
  /** Variables that are not the controller's own. */
  environment?: Record<string, string>;
  /** It finds the API server as in a Pod. */
  pod?: PodCredentials;
}

/** A Kubernetes API with the fleet's kinds, a fake node, a database, and controllers that are real processes. */
export interface KubeFleet {
  readonly api: ApiServer;
  readonly kube: OpenKube;
  readonly node: FakeNode;
  readonly databaseUrl: string;
  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]>;
  /** Starts one, with an administrator's kubeconfig unless `how` says otherwise. */
  controller(name?: string, env?: Record<string, string>, how?: ControllerProcess): Promise<Controller>;
  /** Tells a controller to end and waits until it has. */
  stopController(name: string): Promise<void>;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  apply(...objects: object[]): Promise<string>;
  json<T>(args: readonly string[]): Promise<T>;
  /** Hosts named here, or whose instance is, get no lease when they start. */
  readonly neverReady: Set<string>;
  /** Hosts named here, or whose instance is, do not end when they are asked to. */
  readonly stubborn: Set<string>;
  /** What there is and what the controllers said, for a test that failed. */
  standing(): Promise<string>;
  stop(): Promise<void>;
}

/** An empty database and what removes it. */
export interface FleetDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of the run's own server. Outside of a test run there is none, and this must not be loaded. */
async function ownDatabase(): Promise<FleetDatabase> {
  const { emptyDatabase } = await import('../../../../support/database.ts');
  return emptyDatabase();
}

/** Starts all but the controllers. Hosts are not run: a started one has a lease for an hour in the registry, a stopped one is offline there. */
export async function startKubeFleet(
  options: { database?: FleetDatabase; describesOnce?: boolean } = {},
): Promise<KubeFleet> {
  const database = options.database ?? (await ownDatabase());
  const api = await startApiServer();
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  const kube = await openKube({ kubeconfig: api.kubeconfig });
  const crds = join(ROOT, 'crds');
  await api.kubectl(['apply', '--server-side', '-f', crds]);
  await established(api);
  await api.kubectl(['create', 'namespace', RELEASE_NAMESPACE]);
  const neverReady = new Set<string>();
  const stubborn = new Set<string>();
  const isIn = (set: ReadonlySet<string>, { metadata }: Pod): boolean =>
    set.has(metadata.name) || set.has(metadata.labels?.[LABELS.instance] ?? '');
  const replicaLike = (pod: Pod): string => `crepl_${pod.metadata.namespace}.${pod.metadata.name}.%`;
  const node = await startFakeNode(kube, {
    describesOnce: options.describesOnce,
    started: async (pod) => {
      if (isIn(neverReady, pod)) return;
      await pool.query(
        `UPDATE registry.replicas SET status = 'ready', lease_expires_at = $2, health_revision = health_revision + 1 WHERE id LIKE $1`,
        [replicaLike(pod), Date.now() + 3_600_000],
      );
    },
    stopped: async (pod) => {
      await until(`${pod.metadata.name} may end`, () => !isIn(stubborn, pod), 600_000);
      await pool.query(`UPDATE registry.replicas SET status = 'offline' WHERE id LIKE $1`, [replicaLike(pod)]);
    },
  });
  const controllers: Controller[] = [];
  const fleet: KubeFleet = {
    api,
    kube,
    node,
    databaseUrl: database.url,
    neverReady,
    stubborn,
    query: async <T extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
      (await pool.query<T>(sql, values)).rows,
    controller: async (name = 'controller-1', env = {}, how = {}) => {
      const server: Record<string, string> = how.pod
        ? { SERVICE_ACCOUNT_ROOT: how.pod.root }
        : { KUBECONFIG: api.kubeconfig };
      const controller = startController(name, { ...server, DATABASE_URL: database.url, ...env }, how);
      controllers.push(controller);
      await until(`${name} runs`, () => controller.log().includes('controller starts'));
      return controller;
    },
    stopController: async (name) => {
      await controllers.find((controller) => controller.name === name)?.stop();
    },
    kubectl: (args, input) => api.kubectl(args, input),
    apply: (...objects) =>
      api.kubectl(['apply', '-f', '-'], objects.map((object) => JSON.stringify(object)).join('\n---\n')),
    json: async (args) => JSON.parse(await api.kubectl([...args, '-o', 'json'])) as never,
    standing: async () => {
      const objects = await api.kubectl(['get', 'cinst,crep,pods,events', '-A', '-o', 'wide']);
      const conditions = await api.kubectl([
        'get',
        'cinst,pods',
        '-A',
        '-o',
        'jsonpath={range .items[*]}{.metadata.name}: {.status}{"\\n"}{end}',
      ]);
      return [
        objects,
        conditions,
        ...node.problems,
        ...controllers.map(({ name, log }) => `--- ${name}\n${log()}`),
      ].join('\n');
    },
    stop: async () => {
      await Promise.all(controllers.map((controller) => controller.kill()));
      await node.stop();
      await kube.close();
      await api.stop();
      await pool.end();
      await database.drop();
    },
  };
  return fleet;
}

function startController(
  name: string,
  own: Record<string, string>,
  { nodeOptions = [], environment, pod }: ControllerProcess,
): Controller {
  const env = {
    NAMESPACE: RELEASE_NAMESPACE,
    RELEASE: 'aip',
    POD_NAME: name,
    TRUST_DOMAIN: 'fleet.test',
    RUNTIME_IMAGE,
    TENANCY: 'open',
    CONTROL_BIND: '127.0.0.1:0',
    ADMIN_BIND: '127.0.0.1:0',
    ...own,
  };
  const child = spawn(process.execPath, [...nodeOptions, CONTROLLER, 'run'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...environment,
      ...pod?.environment,
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [`AIP_CONTROLLER_${key}`, value])),
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  return {
    name,
    process: child,
    log: () => text,
    admin: async (path) => {
      const answer = await fetch(new URL(path, /"admin":"([^"]+)"/.exec(text)?.[1]));
      return { status: answer.status, text: await answer.text() };
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** The demo instance of `examples/demo.yaml` under another name, changed by `spec`. */
export function demoInstance(name: string, spec: Record<string, unknown> = {}, namespace = 'default'): object {
  return {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: { name, namespace },
    spec: {
      connector: { type: 'demo', version: '1.0.0' },
      tenantId: name,
      replicas: 2,
      ...spec,
    },
  };
}

/** What `kubectl get -o json` of an instance shows. */
export interface Seen {
  metadata: {
    generation: number;
    name: string;
    uid: string;
    annotations: Record<string, string>;
    finalizers?: string[];
    resourceVersion: string;
  };
  spec: Record<string, unknown>;
  status?: {
    observedGeneration: number;
    replicas: number;
    readyReplicas: number;
    updatedReplicas: number;
    drainingReplicas: number;
    conditions: { type: string; status: string; reason: string; message: string; observedGeneration: number }[];
    instanceId: string;
  };
}

/** The machine that tests run on may be busy. */
const SEEN_MS = 120_000;

/** The instance once the controller has seen its present spec and `is` holds of it. */
export function seen(
  fleet: KubeFleet,
  name: string,
  what: string,
  is: (instance: Seen) => boolean,
  namespace = 'default',
): Promise<Seen> {
  const look = async (): Promise<Seen | undefined> => {
    const instance = await fleet.json<Seen>(['get', 'cinst', name, '-n', namespace]);
    return instance.status?.observedGeneration === instance.metadata.generation && is(instance) ? instance : undefined;
  };
  return until(`${name}: ${what}`, look, SEEN_MS).catch(async (error: unknown) => {
    throw new Error(`${(error as Error).message}\n${await stateOf(fleet, name, namespace)}`, { cause: error });
  });
}

/** An instance with what belongs to it, for people. */
async function stateOf(fleet: KubeFleet, name: string, namespace: string): Promise<string> {
  const { status } = await fleet.json<Seen>(['get', 'cinst', name, '-n', namespace]);
  const label = ['-n', namespace, '-l', `${LABELS.instance}=${name}`];
  const owned = await fleet.kubectl(['get', 'crep,pods', ...label, '-o', 'wide']);
  return `${JSON.stringify(status, null, 2)}\n${owned}`;
}

/** The condition of a type, as `status reason`. */
export function condition({ status }: Seen, type: string): string | undefined {
  const found = status?.conditions?.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}`;
}

/** The message of the condition of a type; '' when there is none. */
export function message({ status }: Seen, type: string): string {
  return status?.conditions?.find((each) => each.type === type)?.message ?? '';
}

/** What was reported of an object, as `type reason: note`. */
export async function eventsOf(fleet: KubeFleet, name: string, namespace = 'default'): Promise<string[]> {
  interface Told {
    type: string;
    reason: string;
    note: string;
    regarding: { name: string };
  }
  const { items } = await fleet.json<{ items: Told[] }>(['get', 'events.events.k8s.io', '-n', namespace]);
  return items
    .filter(({ regarding }) => regarding.name === name)
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

/** Names of the objects of some kinds that have a label, or of all; sorted. */
export async function namesOf(
  fleet: KubeFleet,
  kinds: string,
  { instance, namespace = 'default' }: { instance?: string; namespace?: string } = {},
): Promise<string[]> {
  const label = instance === undefined ? [] : ['-l', `${LABELS.instance}=${instance}`];
  const text = await fleet.kubectl(['get', kinds, '-n', namespace, ...label, '-o', 'name', '--ignore-not-found']);
  return text.split('\n').filter(Boolean).sort();
}

/** Text of a file of the project. */
export const projectFile = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
