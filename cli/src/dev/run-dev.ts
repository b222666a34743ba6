import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Resources, ResourcesInvalid } from '@aip/controller/internal/api';
import { defaultDataDir } from '@aip/controller/internal/data-folder';
import { type Fleet, startFleet, watchLauncher } from '@aip/controller/internal/dev';
import { loadResources, type ResourceFile, readResourceFiles } from '@aip/controller/internal/resources';
import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { pollLoop, within } from '@aip/runtime/internal/time';
import { UsageError } from '../client/errors.js';
import { type ApplyAnswer, type ApplyRequest, type ReplicaRequest, serveRequests } from '../fleet/dev-requests.js';
import { readDevStatus, withDevFacts } from '../fleet/dev-status.js';
import { isShown, type LogFilter } from '../logs/log-filter.js';
import { isInteractive } from '../progress/interactive.js';
import { progress } from '../progress/progress.js';
import type { FleetSnapshot } from '../ui/fleet/snapshot.js';
import { registrySnapshot } from '../ui/fleet/snapshot.js';
import { commandsToTry } from './commands-to-try.js';
import { runDemo } from './demo.js';
import type { DevView } from './dev-view.js';
import { jsonView } from './json-view.js';
import { plainView } from './plain-view.js';
import { type Simulators, startSimulators } from './simulators.js';
import { watchFiles } from './watch-files.js';

/** What the user asked `aip dev` for. */
export interface DevRequest {
  demo: boolean;
  files: readonly string[];
  /** The folder that was named; default: the usual one. */
  data: string | undefined;
  fresh: boolean;
  gatewayPort: number;
  controlPort: number;
  gateways: number;
  trustedSigners: string | undefined;
  withSimulators: boolean;
  /** Undefined: on a terminal. */
  watch: boolean | undefined;
  json: boolean;
  verbose: boolean;
  /** Which log lines are shown. */
  logs: LogFilter;
}

/** In an installed package it lies inside, in a checkout beside. */
const DEMO_FILE = ['../../examples/demo.yaml', '../../../examples/demo.yaml']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((file) => existsSync(file)) as string;
/** npx passes on the signal that the terminal has already sent: what follows this soon is the same key press. In ms. */
const ONE_PRESS_MS = 500;
/** Longest wait for the last screen, in ms: a terminal that was closed takes none. */
const CLOSE_MS = 1000;

/** Runs a fleet until a signal; gives the exit code. */
export async function runDev(request: DevRequest): Promise<number> {
  const { env } = process;
  progress.pause();
  const files = [...request.files, ...(request.demo ? [DEMO_FILE] : [])];
  if (request.watch === true && request.files.length === 0 && !request.demo)
    throw new UsageError('--watch needs files to watch.', 'Name them with -f.');
  const read = await readResourceFiles(files);
  const resources = files.length === 0 ? undefined : loadResources(read);
  if (resources) checkLogNames(request.logs.names, resources);
  const trustedSigners = request.trustedSigners === undefined ? undefined : resolve(request.trustedSigners);
  const dataDir = resolve(request.data ?? defaultDataDir(env));

  const interrupted = new AbortController();
  let fleet: Fleet | undefined;
  let firstSignalAt: number | undefined;
  const onSignal = (signal?: NodeJS.Signals): void => {
    if (firstSignalAt === undefined) {
      firstSignalAt = performance.now();
      interrupted.abort();
      return;
    }
    // A terminal that is closed reports it more than once, by its shell too.
    if (signal === 'SIGHUP' || performance.now() - firstSignalAt < ONE_PRESS_MS) return;
    fleet?.kill();
    process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  endWithoutReader(() => {
    if (firstSignalAt === undefined) onSignal();
  });
  const viewing = openView(request);
  let view: DevView | undefined;
  const early: ((view: DevView) => void)[] = [];
  const show = (tell: (view: DevView) => void): void => {
    if (view) tell(view);
    else early.push(tell);
  };
  const simulators = request.withSimulators ? await startSimulators(resources) : undefined;
  process.once('exit', () => simulators?.stop());
  for (const line of simulators?.lines ?? []) show((open) => open.note(line, 'step'));
  await watchLauncher(env, () => {
    if (firstSignalAt !== undefined) return;
    show((open) => open.note('npx has ended; the fleet ends too', 'step'));
    onSignal();
  });

  const starting = startFleet({
    dataDir,
    resources,
    fresh: request.fresh,
    gatewayPort: request.gatewayPort,
    controlPort: request.controlPort,
    gateways: request.gateways,
    trustedSigners,
    watchModules: watching(request),
    onInfo: (info) => show((open) => open.changed(info)),
    env,
    onStage: (stage) => show((open) => open.stage(stage)),
    onNote: (text, kind) => show((open) => open.note(text, kind)),
    onDrained: (replica, ms) => show((open) => open.drained(replica, ms)),
    onLog: (name, line) => {
      if (isShown(name, line, request.logs)) show((open) => open.log(name, line));
    },
  });
  starting.catch(() => undefined);
  view = await viewing;
  for (const tell of early.splice(0)) tell(view);

  let code = 0;
  try {
    fleet = await starting;
    await serve(fleet, view, request, { dataDir, simulators, read }, interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted) {
      await view.close();
      await fleet?.stop();
      throw error;
    }
  }
  const begun = performance.now();
  view.stopping();
  try {
    await fleet?.stop();
  } catch (error) {
    code = 1;
    view.note(error instanceof Error ? error.message : String(error));
  }
  view.stopped(performance.now() - begun);
  await within(CLOSE_MS, view.close(), () => undefined);
  return code;
}

/** Calls `gone` when what is printed reaches nobody any more: the terminal was closed, or the reader of a pipe has ended. */
function endWithoutReader(gone: () => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    // Replaces the handler that ends other commands immediately: here programs have to be stopped first.
    stream.removeAllListeners('error');
    stream.on('error', gone);
  }
}

/** Programs of every fleet that log. */
const PROGRAMS = ['gateway', 'control-plane', 'postgres'];

/** Names that no log can have would show nothing for as long as the fleet runs. Throws UsageError. */
function checkLogNames(names: readonly string[], { instances }: Resources): void {
  const known = [...PROGRAMS, ...instances.map(({ metadata }) => metadata.name)];
  for (const name of names) {
    const own = name.split('/').at(-1) ?? name;
    if (known.some((each) => own === each || own.startsWith(`${each}-`))) continue;
    const near = didYouMean(similar(own, known, 1));
    throw new UsageError(`There is no log of ${name}.`, `${near ? `${near} ` : ''}It is one of ${known.join(', ')}.`);
  }
}

/** Files and modules are followed when that is requested, and on a terminal. */
function watching({ watch: asked }: DevRequest): boolean {
  return asked ?? process.stdout.isTTY === true;
}

/** From the first ready host to the signal. */
async function serve(
  fleet: Fleet,
  view: DevView,
  request: DevRequest,
  { dataDir, simulators, read }: { dataDir: string; simulators: Simulators | undefined; read: readonly ResourceFile[] },
  signal: AbortSignal,
): Promise<void> {
  const aborted = new Promise<void>((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
  const until = <T>(work: Promise<T>): Promise<T | undefined> => Promise.race([work, aborted.then(() => undefined)]);
  let firstChunkMs: number | undefined;
  await until(fleet.usable);
  if (signal.aborted) return;
  if (request.demo) {
    const token = (await readFile(fleet.paths.token, 'utf8')).trim();
    const outcome = await until(runDemo({ url: fleet.gatewayUrl, token }, view, signal));
    firstChunkMs = outcome?.firstChunkMs;
  }
  const info = await until(fleet.ready);
  if (signal.aborted || !info) return;
  await simulators?.pointWebhooks(info);
  const snapshot = async (): Promise<FleetSnapshot> => {
    const instances = (await readDevStatus(dataDir))?.instances;
    return registrySnapshot(withDevFacts(await fleet.status(), instances), instances);
  };
  const commandsFor = ({ broken: [broken] }: FleetSnapshot): Promise<string[]> =>
    commandsToTry({ url: fleet.gatewayUrl, tokenFile: info.token_file, data: request.data, broken });
  let shown = await snapshot();
  view.ready({
    info,
    dataDir,
    fleet: shown,
    readyMs: performance.now(),
    firstChunkMs,
    commands: await commandsFor(shown),
  });

  for (const { name, webhook_url: url } of info.instances)
    if (url !== undefined) view.note(`webhook deliveries of ${name} go to ${url}`, 'step');

  void serveRequests(fleet.paths.requests, (asked) => answer(fleet, asked), signal);
  const watched = read.filter(({ name }) => request.files.includes(name));
  if (watching(request) && watched.length > 0) watchFiles(watched, fleet, view, signal);
  const refresh = async (): Promise<void> => {
    const before = shown.broken.join();
    shown = await snapshot();
    view.fleet(shown);
    if (shown.broken.join() !== before) view.commands(await commandsFor(shown));
  };
  const { checkMs } = view;
  if (checkMs === undefined) await aborted;
  else await until(pollLoop(refresh, { signal, everyMs: () => checkMs, failed: () => undefined }));
}

async function answer(fleet: Fleet, request: ApplyRequest | ReplicaRequest): Promise<ApplyAnswer> {
  try {
    if ('replica' in request) {
      await fleet.cordon(request.replica, request.drained);
      return { changed: request.replica };
    }
    const { files, prune, timeoutMs } = request;
    const resources = loadResources(files, prune ? undefined : fleet.desired());
    return { outcome: await fleet.apply(resources, { keepOthers: !prune, timeoutMs }) };
  } catch (error) {
    if (error instanceof ResourcesInvalid) return { problems: [...error.problems] };
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function openView(request: DevRequest): Promise<DevView> {
  if (request.json) return jsonView(request.verbose);
  const plain = { verbose: request.verbose };
  if (request.verbose || !isInteractive(process.stdout, process.env))
    return plainView((line) => {
      process.stdout.write(`${line}\n`);
    }, plain);
  const { liveView } = await import('./live-view.js');
  return liveView();
}
