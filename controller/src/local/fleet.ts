import { rm } from 'node:fs/promises';
import { openDatabaseClock } from '@aip/runtime/internal/postgres';
import { systemClock } from '@aip/runtime/internal/protocol';
import { FLEET_CHANNEL } from '@aip/runtime/internal/registry';
import { within } from '@aip/runtime/internal/time';
import { shownName } from '../api/metadata.js';
import type { Resources } from '../api/resources.js';
import { openFleetRegistry } from '../fleet/registry-adapter.js';
import { type Loop, startLoop } from './loop.js';
import type { Database } from './process/database.js';
import type { FleetCoordinates } from './process/host-environment.js';
import type { ServiceSettings } from './process/services.js';
import { describeConnectors } from './run/admissions.js';
import { chooseAddresses, coordinatesOf, startDatabaseOf, trustDomainOf } from './run/coordinates.js';
import { type Changes, type FleetData, openData } from './run/data.js';
import { type FleetHosts, openHosts } from './run/hosts.js';
import { openInfoFile } from './run/info-file.js';
import type { FleetOptions } from './run/options.js';
import { type FleetPrograms, startPrograms } from './run/programs.js';
import { openReporter } from './run/reporter.js';
import { isSettled } from './run/settled.js';
import { openWaits } from './run/waits.js';
import { openStages, type RunStage } from './stages.js';
import { type DataPaths, type DevInfo, dataPaths } from './state/data-dir.js';
import { areDescribed, devInstances, progressOf } from './state/dev-info.js';
import { type FleetStatusRow, fleetStatus } from './state/fleet-status.js';
import type { InstanceOutcome } from './state/instance-outcome.js';
import { lockDataFolder } from './state/lock.js';
import { ensureOperators } from './state/tenants.js';

export type { FleetOptions } from './run/options.js';

/** The principal of the control plane. */
const CONTROL_PRINCIPAL_ID = 'service:aip-connector-control-plane';

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
  conditions: Record<string, InstanceOutcome['conditions']>;
}

/** Budgets of an orderly end, in ms; together under 5 s. */
const HOSTS_MS = 2600;
const SERVICES_MS = 900;
const DATABASE_MS = 900;

/** What of a run is there before its reconcile loop starts. */
interface Parts {
  readonly paths: DataPaths;
  readonly options: FleetOptions;
  readonly stage: RunStage;
  readonly data: FleetData;
  readonly database: Database;
  readonly fleet: FleetCoordinates;
  readonly settings: ServiceSettings;
  readonly registry: Awaited<ReturnType<typeof openFleetRegistry>>;
  readonly clock: ReturnType<typeof openDatabaseClock>;
  readonly programs: FleetPrograms;
  readonly hosts: FleetHosts;
  readonly changes: Changes;
  readonly admissions: ReturnType<typeof describeConnectors>;
}

/** Starts database, control plane, gateways and hosts on loopback; returns as soon as the programs are starting. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const paths = dataPaths(options.dataDir);
  const unlock = await lockDataFolder(paths.root, paths.lock);
  await using undo = new AsyncDisposableStack();
  undo.defer(unlock);
  const parts = await startParts(paths, options, undo);
  const fleet = runFleet(parts, unlock);
  undo.move();
  return fleet;
}

/** Starts the parts in order; what has to be undone when a later one fails is left in `undo`. */
async function startParts(paths: DataPaths, options: FleetOptions, undo: AsyncDisposableStack): Promise<Parts> {
  const { env, onNote } = options;
  const stage = openStages(options.onStage);
  const changes: Changes = { poke: () => undefined, retry: () => undefined };
  const data = await openData(paths, options, changes);
  undo.defer(data.stopModules);
  const addresses = await chooseAddresses(paths, options);
  const admissions = describeConnectors(data.store.state, stage, {
    trustDomain: trustDomainOf(env),
    cacheDir: paths.cache,
    env,
  });
  const database = await startDatabaseOf(paths, data, stage);
  undo.defer(() => database.stop(DATABASE_MS));
  const { fleet, settings } = await coordinatesOf(paths, options, addresses, database.fleetUrl);
  await ensureOperators(paths, settings.principalsFile, tenantsOf(data));
  const registry = await stage('registry', 'preparing the registry', () =>
    openFleetRegistry(database.fleetUrl, { allowLoopbackHttp: true }),
  );
  undo.defer(() => registry.pool.close());
  const clock = openDatabaseClock({ db: registry.pool, clock: systemClock });
  undo.defer(clock.stop);
  await clock.measured;
  const programs = await startPrograms(settings, data);
  undo.defer(programs.kill);
  const hosts = openHosts(data, onNote, () => changes.poke());
  undo.defer(() => hosts.runner.killAll());
  return {
    paths,
    options,
    stage,
    data,
    database,
    fleet,
    settings,
    registry,
    clock,
    programs,
    hosts,
    changes,
    admissions,
  };
}

/** Runs the reconcile loop over the parts until the fleet is stopped. */
function runFleet(parts: Parts, unlock: () => Promise<void>): Fleet {
  const { paths, options, stage, data, database, fleet, settings, registry, programs, hosts } = parts;
  const { store } = data;
  const stopping = new AbortController();
  const waits = openWaits(stopping.signal);
  /** `started`: the first instances were ready; `steps`: those of the apply that runs. */
  const run: { started: boolean; steps?: ApplyOutcome['steps'] | undefined } = { started: false };
  const loop = startReconciling(parts, run, () => {
    void info.publish();
    waits.ended();
  });
  Object.assign(parts.changes, { poke: loop.poke, retry: loop.retry });
  const unlisten = registry.pool.listen(FLEET_CHANNEL, loop.poke);
  const devInfo = (): DevInfo => devInfoOf(parts, loop, run.started);
  const info = openInfoFile(paths.devJson, {
    read: devInfo,
    changed: () => (run.started ? options.onInfo : undefined),
    wrote: data.reports.wrote,
    signal: stopping.signal,
  });
  void info.publish();
  /** Before the caller learns of a state: what it reads next are the files of the folder. */
  const written = async (): Promise<void> => {
    await Promise.all([info.publish(), data.publisher.flush()]);
  };

  const restsOrReady = (): boolean => {
    if (loop.passes() === 0) return false;
    const { ready, stuck, total } = progressOf(store.state, loop.outcomes());
    return ready + stuck === total;
  };
  const someReady = (): boolean => [...loop.outcomes().values()].some(({ plan }) => plan.counts.ready > 0);
  const usable = Promise.all([
    programs.ready(stage, stopping.signal),
    hostsIn(stage, async () => {
      await waits.until(() => someReady() || restsOrReady());
      return someReady() || progressOf(store.state, loop.outcomes()).stuck === 0;
    }),
  ]).then(() => undefined);
  const ready = usable.then(async () => {
    await waits.until(() => restsOrReady() && areDescribed(store.state, loop.outcomes()));
    run.started = true;
    await written();
    return devInfo();
  });
  ready.catch(() => undefined);
  usable.catch(() => undefined);

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    data.stopModules();
    await info.flush();
    await (await unlisten)();
    await stopParts(parts, loop);
    await unlock();
  };
  return {
    paths,
    usable,
    ready,
    gatewayUrl: fleet.gatewayUrl,
    apply: async (resources, { keepOthers, timeoutMs }) => {
      const steps: ApplyOutcome['steps'] = [];
      run.steps = steps;
      store.want(resources, keepOthers);
      await data.readModules();
      await ensureOperators(paths, settings.principalsFile, tenantsOf(data));
      await store.save();
      const from = loop.passes();
      loop.poke();
      const settled = await waits.until(() => loop.passes() > from + 1 && isSettled(loop.outcomes()), timeoutMs);
      run.steps = undefined;
      await written();
      const conditions = Object.fromEntries([...loop.outcomes()].map(([key, entry]) => [key, entry.conditions]));
      return { settled, steps, conditions };
    },
    desired: () => desiredOf(data),
    cordon: async (key, drained) => {
      const replica = store.state.replicas[key];
      if (!replica) throw new Error(`No such replica: ${shownName(key)}.`);
      if (!replica.managed) throw new Error(`${shownName(key)} runs elsewhere; drain it there.`);
      replica.cordoned = drained;
      await store.save();
      loop.poke();
    },
    status: () => fleetStatus(registry.pool),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
    kill: () => {
      hosts.runner.killAll();
      programs.kill();
      database.kill();
    },
  };
}

/** The stage of the hosts: failed when none became ready; the fleet stays, and each instance says why. */
async function hostsIn(stage: RunStage, becameReady: () => Promise<boolean>): Promise<void> {
  let ended = false;
  const work = async (): Promise<void> => {
    const ready = await becameReady();
    ended = true;
    if (!ready) throw new Error('no host became ready');
  };
  await stage('hosts', 'starting the hosts', work).catch((error: unknown) => {
    if (!ended) throw error;
  });
}

/** Starts the loop that brings the instances to what is desired; `ended` is called after every reconcile. */
function startReconciling(
  { paths, options, data, database, fleet, registry, hosts, clock, admissions }: Parts,
  run: { readonly started: boolean; readonly steps?: ApplyOutcome['steps'] | undefined },
  ended: () => void,
): Loop {
  const { store, publisher } = data;
  const report = openReporter({ publisher, onNote: options.onNote, noteSteps: () => run.started });
  return startLoop(
    {
      paths,
      state: store.state,
      env: options.env,
      pool: registry.pool,
      databaseUrl: database.fleetUrl,
      registry: registry.registry,
      ...hosts,
      fleet,
      clock: clock.now,
      onRedefined: report.redefined,
    },
    store,
    {
      step: (instance, { reason, message }) => {
        run.steps?.push({ instance, reason, message });
        report.step(instance, { reason, message });
      },
      failed: (instance, _step, failure) => report.failed(instance, failure),
      passed: (outcomes) => {
        publisher.publish(store.state, outcomes);
        report.reconciled(outcomes);
        ended();
      },
    },
    admissions,
  );
}

/** Drains the hosts, then ends the programs and the database, each within its budget. */
async function stopParts(
  { paths, options, data, database, registry, clock, programs, hosts }: Parts,
  loop: Loop,
): Promise<void> {
  const { store, publisher, record, logs } = data;
  await publisher.flush();
  await rm(paths.devJson, { force: true });
  await rm(paths.status, { force: true });
  const loopEnded = loop.stop();
  clock.stop();
  await hosts.runner.stopAll(HOSTS_MS, (key, ms) => options.onDrained?.(shownName(key), ms));
  await programs.stop(SERVICES_MS);
  await within(200, Promise.all([loopEnded, registry.pool.close()]), () => undefined);
  await store.save();
  await database.stop(DATABASE_MS);
  await record.flush();
  await within(100, logs.close(), () => undefined);
}

/** What dev.json holds. */
function devInfoOf({ paths, data, database, fleet, settings }: Parts, loop: Loop, started: boolean): DevInfo {
  const { state } = data.store;
  const { ready, total } = progressOf(state, loop.outcomes());
  return {
    ready: ready === total && started,
    instances_ready: ready,
    instances_total: total,
    gateway_url: fleet.gatewayUrl,
    gateways: settings.gatewayPorts.map((port) => `http://127.0.0.1:${port}`),
    control_url: fleet.controlUrl,
    token_file: paths.token,
    database_url: database.url,
    trust_domain: fleet.trustDomain,
    gateway: { principal_id: fleet.gatewayPrincipalId, did: fleet.gatewayDid },
    control_plane: { principal_id: CONTROL_PRINCIPAL_ID, did: fleet.controlDid },
    instances: devInstances(state, loop.outcomes()),
  };
}

function tenantsOf({ store }: FleetData): string[] {
  return Object.values(store.state.instances)
    .filter(({ deleted }) => !deleted)
    .map(({ resource }) => resource.spec.tenantId);
}

function desiredOf({ store }: FleetData): Resources {
  return {
    instances: Object.values(store.state.instances)
      .filter(({ deleted }) => !deleted)
      .map(({ resource }) => resource),
    replicas: Object.values(store.state.externals).map(({ resource }) => resource),
    secrets: Object.values(store.state.secrets),
  };
}
