import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabaseClock } from '@aip/runtime/postgres/database-clock.js';
import { systemClock } from '@aip/runtime/protocol/clock.js';
import type { ConnectorInstance } from '../api/connector-instance.js';
import type { Resources } from '../api/resources.js';
import { type AdmissionResult, admissionSource } from '../fleet/admission.js';
import { privateDir, writePrivate } from '../fleet/files.js';
import { openFleetRegistry } from '../fleet/registry-adapter.js';
import { admissionOf } from './admission.js';
import { replicasWithoutPort } from './apply.js';
import { type Loop, startLoop } from './loop.js';
import { modulesOf, stampModules } from './module/stamp-modules.js';
import { watchModules } from './module/watch-modules.js';
import { startDatabase } from './process/database.js';
import { endedText } from './process/ended-text.js';
import type { FleetCoordinates } from './process/host-environment.js';
import { openHostTroubles } from './process/host-trouble.js';
import { openLogFiles } from './process/log-files.js';
import { endLeftovers, openProcessRecord } from './process/orphans.js';
import { freePorts, isFree, loopbackPort } from './process/ports.js';
import { openProgramReports } from './process/program-reports.js';
import { openHostRunner } from './process/runner.js';
import {
  controlPlaneProgram,
  gatewayProgram,
  type Service,
  type ServiceSettings,
  startService,
} from './process/services.js';
import { openStages, type RunStage, type Stage } from './stages.js';
import { type DataPaths, type DevInfo, dataPaths } from './state/data-dir.js';
import { devInstances, problemOf, progressOf } from './state/dev-info.js';
import { emptyDataFolder } from './state/empty-data-folder.js';
import { type FleetStatusRow, fleetStatus } from './state/fleet-status.js';
import { ensureKey } from './state/keys.js';
import { lockDataFolder } from './state/lock.js';
import { openPublisher } from './state/published.js';
import type { InstanceStanding } from './state/standing.js';
import { openStore } from './state/store.js';
import { ensureOperators } from './state/tenants.js';

/** The principal of the control plane. */
const CONTROL_PRINCIPAL_ID = 'service:aip-connector-control-plane';

/** What `aip dev` was asked to do. */
export interface FleetOptions {
  dataDir: string;
  /** Desired resources; undefined takes up those of the last run. */
  resources?: Resources | undefined;
  fresh?: boolean;
  /** 0 = any free port; further gateways take any free one. */
  gatewayPort: number;
  controlPort: number;
  gateways: number;
  /** File with further trusted signers for the gateways (docs/protocol/client-api.md#authentication). */
  trustedSigners?: string | undefined;
  env: NodeJS.ProcessEnv;
  onStage: (stage: Stage) => void;
  /** Take over changes of connector modules as they are saved. */
  watchModules?: boolean;
  /** The instances became ready or stopped being so, or one was added. */
  onInfo?: ((info: DevInfo) => void) | undefined;
  /** Something worth reporting: a program ended, a replica drains. */
  onNote: (text: string) => void;
  /** A host has drained and ended while everything stops. */
  onDrained?: ((replica: string, ms: number) => void) | undefined;
  /** Each line that a program logs. */
  onLog?: ((name: string, line: string) => void) | undefined;
}

/** A running fleet on this machine. */
export interface Fleet {
  readonly paths: DataPaths;
  /** Resolves when the gateway answers and at least one replica is ready, or nothing can become so without a change. */
  usable: Promise<void>;
  /** Resolves when every instance is ready or cannot become so without a change; dev.json says how many are. */
  ready: Promise<DevInfo>;
  gatewayUrl: string;
  /** Makes other resources the desired ones and waits until they are, at most `timeoutMs`. Gives what stands then. */
  apply(resources: Resources, options: { keepOthers: boolean; timeoutMs: number }): Promise<ApplyOutcome>;
  /** What is desired now. */
  desired(): Resources;
  /** Takes a replica (`namespace/name`) out of service or puts it back. Throws when there is none. */
  cordon(replica: string, drained: boolean): Promise<void>;
  status(): Promise<FleetStatusRow[]>;
  /** Drains the hosts and ends everything within 5 s. */
  stop(): Promise<void>;
  /** Ends everything at once. */
  kill(): void;
}

/** What an apply came to. */
export interface ApplyOutcome {
  /** All instances are as wanted. */
  settled: boolean;
  steps: { instance: string; reason: string; message: string }[];
  conditions: Record<string, InstanceStanding['conditions']>;
}

/** Budgets of an orderly end, in ms; together under 5 s. */
const HOSTS_MS = 2600;
const SERVICES_MS = 900;
const DATABASE_MS = 900;
const READY_TIMEOUT_MS = 60_000;
const DEFAULT_TRUST_DOMAIN = 'dev.local';

/** Starts database, control plane, gateways and hosts on loopback; returns as soon as the programs are starting. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { env } = options;
  const paths = dataPaths(options.dataDir);
  const unlock = await lockDataFolder(paths.root, paths.lock);
  const stage = openStages(options.onStage);
  const cleanUp: (() => void | Promise<void>)[] = [];
  try {
    return await start();
  } catch (error) {
    for (const undo of cleanUp.reverse()) await undo();
    await unlock();
    throw error;
  }

  async function start(): Promise<Fleet> {
    const left = await endLeftovers(paths.processes);
    if (left > 0) options.onNote(`ended ${left} processes that an earlier run had left`);
    await rm(paths.devJson, { force: true });
    await rm(paths.status, { force: true });
    if (options.fresh) await emptyDataFolder(paths);
    await Promise.all([privateDir(paths.logs), privateDir(paths.keys), privateDir(paths.requests)]);

    const store = await openStore(paths.state);
    if (options.resources) store.want(options.resources, false);
    let loop: Loop | undefined;
    const publisher = openPublisher(paths.status, (error) => reports.wrote(error));
    const modules = watchModules((digests) => {
      if (stampModules(store.state, digests).length > 0) loop?.poke();
    });
    cleanUp.push(() => modules.stop());
    const readModules = async (): Promise<void> => {
      stampModules(store.state, await modules.follow(modulesOf(store.state)));
    };
    await readModules();
    if (!options.watchModules) modules.stop();
    for (const key of await replicasWithoutPort(store.state)) {
      const replica = store.state.replicas[key];
      if (replica) replica.retiring = true;
      options.onNote(`${key} is replaced: another program took its port`);
    }
    const logs = openLogFiles(paths.logs, options.onLog);
    const record = openProcessRecord(paths.processes);
    const reports = openProgramReports({ onNote: options.onNote, onEvent: publisher.event });

    const trustDomain = env.AIP_GATEWAY_TRUST_DOMAIN ?? DEFAULT_TRUST_DOMAIN;
    const admissions = new Map<string, Promise<AdmissionResult>>();
    for (const { resource, deleted } of Object.values(store.state.instances)) {
      const source = admissionSource(resource);
      if (deleted || admissions.has(source)) continue;
      const name = `connector of ${resource.metadata.name}`;
      admissions.set(source, describedIn(stage, name, resource, { trustDomain, cacheDir: paths.cache, env }));
    }

    const databaseLog = await logs.open('postgres');
    const [controlKey, gatewayKey, controlPort, firstGatewayPort] = await Promise.all([
      ensureKey(env.AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE ?? join(paths.keys, 'control-plane.seed')),
      ensureKey(env.AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE ?? join(paths.keys, 'gateway.seed')),
      loopbackPort(options.controlPort, '--control-port'),
      loopbackPort(options.gatewayPort, '--gateway-port'),
    ]);
    const database = await stage('PostgreSQL', 'starting PostgreSQL', () =>
      startDatabase({
        dataDir: paths.postgres,
        record,
        log: (line) => databaseLog.write(`${line}\n`),
        onEnd: (restartMs, words) =>
          reports.say(
            'PostgreSQL',
            `PostgreSQL ended${words && `: ${words}`}; it is started again in ${restartMs} ms`,
            words,
          ),
        onReady: () => reports.ready('PostgreSQL'),
      }),
    );
    cleanUp.push(() => database.stop(DATABASE_MS));
    const morePorts = await freePorts(options.gateways - 1, new Set([controlPort, firstGatewayPort]));
    const gatewayPorts = [firstGatewayPort, ...morePorts];
    const gatewayUrl = `http://127.0.0.1:${firstGatewayPort}`;
    const fleet: FleetCoordinates = {
      trustDomain,
      controlUrl: `http://127.0.0.1:${controlPort}/aip/v1/connector-control`,
      controlDid: controlKey.did,
      gatewayUrl,
      gatewayDid: gatewayKey.did,
      gatewayPrincipalId: env.AIP_GATEWAY_SERVICE_ID ?? 'service:aip-gateway',
    };
    const settings: ServiceSettings = {
      paths,
      env,
      databaseUrl: database.url,
      trustDomain,
      gatewayPrincipalId: fleet.gatewayPrincipalId,
      gatewayKeyFile: gatewayKey.path,
      controlKeyFile: controlKey.path,
      controlPort,
      gatewayPorts,
      principalsFile: env.AIP_GATEWAY_PRINCIPALS_FILE ?? paths.principals,
      trustedSigners: options.trustedSigners,
    };

    const tenants = (): string[] =>
      Object.values(store.state.instances)
        .filter(({ deleted }) => !deleted)
        .map(({ resource }) => resource.spec.tenantId);
    await ensureOperators(paths, settings.principalsFile, tenants());

    const { pool, registry } = await stage('registry', 'preparing the registry', () =>
      openFleetRegistry(database.url, { allowLoopbackHttp: true }),
    );
    cleanUp.push(() => pool.close());
    const databaseClock = openDatabaseClock({ db: pool, clock: systemClock });
    cleanUp.push(databaseClock.stop);
    await databaseClock.measured;

    const service = { logs, record, onEnd: reports.ended, onReady: reports.ready };
    const control = await startService(controlPlaneProgram(settings), `http://127.0.0.1:${controlPort}/ready`, service);
    cleanUp.push(() => control.process.kill());
    const gateways: Service[] = [];
    for (const [index, port] of gatewayPorts.entries()) {
      const gateway = await startService(gatewayProgram(settings, index), `http://127.0.0.1:${port}/ready`, service);
      cleanUp.push(() => gateway.process.kill());
      gateways.push(gateway);
    }

    const told = new Map<string, string>();
    const problems = new Map<string, string>();
    /** Says once what is wrong with an instance, and when it is over. */
    const tellProblem = (key: string, entry: InstanceStanding): void => {
      const problem = problemOf(entry);
      const before = problems.get(key);
      if (problem === before) return;
      if (problem === undefined) {
        if (!entry.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
        problems.delete(key);
        options.onNote(`${key}: ready`);
        return;
      }
      problems.set(key, problem);
      const [reason = '', ...rest] = problem.split(': ');
      publisher.event({ type: 'Warning', reason, instance: key, note: rest.join(': ') });
      if (told.get(key) !== `${key}: ${problem}`) options.onNote(`${key}: ${problem}`);
    };
    const readiness = (): Pick<DevInfo, 'ready' | 'instances_ready' | 'instances_total'> => {
      const { ready: done, total } = progressOf(store.state, loop?.standing() ?? new Map());
      return { ready: done === total && started, instances_ready: done, instances_total: total };
    };
    let recordStep: (step: ApplyOutcome['steps'][number]) => void = () => undefined;
    let started = false;
    const troubles = openHostTroubles();
    const runner = openHostRunner({
      logs,
      record,
      onEnd: (key, ending) => {
        const words = logs.lastWords(`host-${key.replace('/', '.')}`);
        troubles.ended(key, ending, words);
        options.onNote(endedText(`host ${key}`, ending, words));
        void replaceWithoutPort(key, words);
      },
      changed: () => loop?.poke(),
    });
    cleanUp.push(() => runner.killAll());
    /** A host whose port another program has taken is replaced by one with another port. */
    const replaceWithoutPort = async (key: string, words: string): Promise<void> => {
      const replica = store.state.replicas[key];
      if (replica?.port === undefined || !words.includes('EADDRINUSE') || (await isFree(replica.port))) return;
      replica.retiring = true;
      options.onNote(`${key} is replaced: another program took its port ${replica.port}`);
      loop?.poke();
    };
    let waiters: (() => void)[] = [];
    const stopping = new AbortController();
    loop = startLoop(
      {
        paths,
        state: store.state,
        env,
        pool,
        databaseUrl: database.url,
        registry,
        runner,
        troubles,
        fleet,
        clock: databaseClock.now,
        onRedefined: (instance, capabilities) => {
          const note = `took over the changed contract of ${capabilities.join(', ')}: nothing else depends on it here; on a cluster this is a conflict`;
          publisher.event({ type: 'Normal', reason: 'ContractChanged', instance, note });
          options.onNote(`${instance}: ${note}`);
        },
      },
      store,
      {
        step: (instance, { reason, message }) => {
          recordStep({ instance, reason, message });
          told.delete(instance);
          publisher.event({ type: 'Normal', reason, instance, note: message });
          if (started) options.onNote(`${instance}: ${message}`);
        },
        failed: (instance, _step, { reason, message }) => {
          publisher.event({ type: 'Warning', reason, instance, note: message });
          const text = `${instance === '' ? '' : `${instance}: `}${reason}: ${message}`;
          if (told.get(instance) !== text) options.onNote(text);
          told.set(instance, text);
        },
        round: (standing) => {
          told.delete('');
          publisher.publish(store.state, standing);
          for (const [key, entry] of standing) tellProblem(key, entry);
          void publishInfo();
          for (const waiter of waiters) waiter();
        },
      },
      admissions,
    );
    const running = loop;

    /** Waits until `state` holds after a round; without a timeout until the fleet ends. */
    const afterRound = (state: () => boolean, timeoutMs?: number): Promise<boolean> =>
      new Promise((done) => {
        const finish = (result: boolean): void => {
          clearTimeout(timer);
          waiters = waiters.filter((waiter) => waiter !== look);
          done(result);
        };
        const look = (): void => {
          if (state()) finish(true);
        };
        const timer = timeoutMs === undefined ? undefined : setTimeout(() => finish(false), timeoutMs);
        stopping.signal.addEventListener('abort', () => finish(false), { once: true });
        waiters.push(look);
        look();
      });
    const someReady = (): boolean => {
      const found = [...running.standing().values()];
      return found.some(({ plan }) => plan.counts.ready > 0);
    };
    /** Nothing comes further without a change: every instance is ready, or cannot become so. */
    const settled = (): boolean => {
      if (running.rounds() === 0) return false;
      const { ready: done, stuck, total } = progressOf(store.state, running.standing());
      return done + stuck === total;
    };

    const gatewaysReady = stage('gateway', 'starting the gateway', () =>
      Promise.all(gateways.map((gateway) => gateway.ready(READY_TIMEOUT_MS, stopping.signal))),
    );
    const controlReady = stage('control plane', 'starting the control plane', () =>
      control.ready(READY_TIMEOUT_MS, stopping.signal),
    );
    const firstHost = stage('hosts', 'starting the hosts', async () => {
      await afterRound(() => someReady() || settled());
    });
    const usable = Promise.all([gatewaysReady, controlReady, firstHost]).then(() => undefined);

    const devInfo = (): DevInfo => ({
      ...readiness(),
      gateway_url: gatewayUrl,
      gateways: gatewayPorts.map((port) => `http://127.0.0.1:${port}`),
      control_url: fleet.controlUrl,
      token_file: paths.token,
      database_url: database.url,
      trust_domain: trustDomain,
      gateway: { principal_id: fleet.gatewayPrincipalId, did: fleet.gatewayDid },
      control_plane: { principal_id: CONTROL_PRINCIPAL_ID, did: fleet.controlDid },
      instances: devInstances(store.state, running.standing()),
    });
    let writtenInfo = '';
    let writingInfo = Promise.resolve();
    /** Keeps dev.json as it is now; a full disk must not end the fleet. */
    const publishInfo = (): Promise<void> => {
      const info = devInfo();
      const text = `${JSON.stringify(info)}\n`;
      if (text === writtenInfo || stopping.signal.aborted) return writingInfo;
      writtenInfo = text;
      writingInfo = writingInfo
        .then(() => writePrivate(paths.devJson, text))
        .then(() => reports.wrote(), reports.wrote);
      if (started) void writingInfo.then(() => options.onInfo?.(info));
      return writingInfo;
    };
    void publishInfo();
    const ready = usable.then(async () => {
      await afterRound(settled);
      started = true;
      await publishInfo();
      return devInfo();
    });
    ready.catch(() => undefined);
    usable.catch(() => undefined);

    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      stopping.abort();
      modules.stop();
      await writingInfo;
      await publisher.flush();
      await rm(paths.devJson, { force: true });
      await rm(paths.status, { force: true });
      const loopEnded = running.stop();
      databaseClock.stop();
      await runner.stopAll(HOSTS_MS, (key, ms) => options.onDrained?.(key, ms));
      await Promise.all([control, ...gateways].map(({ process }) => process.stop('SIGTERM', SERVICES_MS)));
      await Promise.race([Promise.all([loopEnded, pool.close()]), pause(200)]);
      await store.save();
      await database.stop(DATABASE_MS);
      await record.flush();
      await Promise.race([logs.close(), pause(100)]);
      await unlock();
    };
    return {
      paths,
      usable,
      ready,
      gatewayUrl,
      apply: async (resources, { keepOthers, timeoutMs }) => {
        const steps: ApplyOutcome['steps'] = [];
        recordStep = (step) => steps.push(step);
        store.want(resources, keepOthers);
        await readModules();
        await ensureOperators(paths, settings.principalsFile, tenants());
        await store.save();
        const from = running.rounds();
        running.poke();
        const done = await afterRound(() => running.rounds() > from + 1 && isSettled(running.standing()), timeoutMs);
        recordStep = () => undefined;
        await publishInfo();
        const conditions = Object.fromEntries([...running.standing()].map(([key, entry]) => [key, entry.conditions]));
        return { settled: done, steps, conditions };
      },
      desired: () => ({
        instances: Object.values(store.state.instances)
          .filter(({ deleted }) => !deleted)
          .map(({ resource }) => resource),
        replicas: Object.values(store.state.externals).map(({ resource }) => resource),
        secrets: Object.values(store.state.secrets),
      }),
      cordon: async (key, drained) => {
        const replica = store.state.replicas[key];
        if (!replica) throw new Error(`There is no replica ${key}.`);
        if (!replica.managed) throw new Error(`${key} runs elsewhere; drain it there.`);
        replica.cordoned = drained;
        await store.save();
        loop?.poke();
      },
      status: () => fleetStatus(pool),
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
      kill: () => {
        runner.killAll();
        for (const { process } of [control, ...gateways]) process.kill();
        database.kill();
      },
    };
  }
}

/** Describes a connector in a stage of its own, which fails when the connector does; the result tells why. */
async function describedIn(
  stage: RunStage,
  name: string,
  resource: ConnectorInstance,
  options: Parameters<typeof admissionOf>[1],
): Promise<AdmissionResult> {
  let result: AdmissionResult | undefined;
  const work = async (): Promise<AdmissionResult> => {
    result = await admissionOf(resource, options);
    if (!result.ok) throw new Error(result.message);
    return result;
  };
  return stage(name, `describing connector ${resource.spec.connector.type}`, work).catch((error: unknown) => {
    if (result) return result;
    throw error;
  });
}

/** Reasons of an instance that is not ready and will not become so on its own. */
const AT_REST: ReadonlySet<string> = new Set(['HostsOffline', 'Disabled', 'HostTrouble']);

/** Nothing more to do, and every instance ready or known not to become so. */
function isSettled(standing: ReadonlyMap<string, InstanceStanding>): boolean {
  return [...standing.values()].every(({ conditions }) => {
    const found = (type: string) => conditions.find((condition) => condition.type === type);
    if (found('Stalled')) return true;
    const reconciling = found('Reconciling');
    if (reconciling && reconciling.reason !== 'WaitsForHost' && reconciling.reason !== 'HostTrouble') return false;
    const ready = found('Ready');
    return ready?.status !== 'False' || AT_REST.has(ready.reason);
  });
}
