import { rm } from 'node:fs/promises';
import { shownName } from '../../api/metadata.js';
import { privateDir } from '../../fleet/files.js';
import { replicasWithoutPort } from '../apply.js';
import { modulesOf, replicasWithoutCode, stampModules } from '../module/stamp-modules.js';
import { watchModules } from '../module/watch-modules.js';
import { type LogFiles, openLogFiles } from '../process/log-files.js';
import { endOrphans, openProcessRecord, type ProcessRecord } from '../process/orphans.js';
import { openProgramReports, type ProgramReports } from '../process/program-reports.js';
import { runtimeDigest } from '../process/programs.js';
import type { DataPaths } from '../state/data-dir.js';
import { emptyDataFolder } from '../state/empty-data-folder.js';
import { openPublisher, type Publisher } from '../state/published.js';
import { openStore, type Store } from '../state/store.js';
import type { FleetOptions } from './options.js';

/** Requests to the loop of a run; without effect before the loop exists. */
export interface Changes {
  /** Has it reconcile soon. */
  poke(): void;
  /** Has it describe again the connectors that could not be described. */
  retry(): void;
}

/** What a run keeps in its data folder. */
export interface FleetData {
  readonly store: Store;
  readonly publisher: Publisher;
  readonly logs: LogFiles;
  readonly record: ProcessRecord;
  /** What is reported of programs and files. */
  readonly reports: ProgramReports;
  /** Reads the connector modules of the instances again. */
  readModules(): Promise<void>;
  stopModules(): void;
}

/** Prepares the data folder: ends what an earlier run left, takes up its state, and follows the connector modules. `changes` are called when one changed. */
export async function openData(paths: DataPaths, options: FleetOptions, changes: Changes): Promise<FleetData> {
  const left = await endOrphans(paths.processes);
  if (left > 0) options.onNote(`ended ${left} processes that an earlier run had left`, 'step');
  await rm(paths.devJson, { force: true });
  await rm(paths.status, { force: true });
  if (options.fresh) await emptyDataFolder(paths);
  await Promise.all([privateDir(paths.logs), privateDir(paths.keys), privateDir(paths.requests)]);

  const store = await openStore(paths.state);
  if (options.resources) store.want(options.resources, false);
  const publisher = openPublisher(paths.status, (error) => reports.wrote(error));
  const reports = openProgramReports({ onNote: options.onNote, onEvent: publisher.event });
  const runtime = await runtimeDigest();
  const modules = watchModules({
    changed: (digests) => {
      if (stampModules(store.state, digests, runtime).length > 0) changes.poke();
    },
    besides: () => changes.retry(),
  });
  const readModules = async (): Promise<void> => {
    stampModules(store.state, await modules.follow(modulesOf(store.state)), runtime);
  };
  const replace = (key: string, why: string): void => {
    const replica = store.state.replicas[key];
    if (!replica || replica.retiring) return;
    replica.retiring = true;
    options.onNote(`${shownName(key)} is replaced: ${why}`, 'step');
  };
  try {
    await readModules();
    if (!options.watchModules) modules.stop();
    for (const key of replicasWithoutCode(store.state)) replace(key, 'its code changed since the last run');
    for (const key of await replicasWithoutPort(store.state)) replace(key, 'another program took its port');
  } catch (error) {
    modules.stop();
    throw error;
  }
  return {
    store,
    publisher,
    logs: openLogFiles(paths.logs, options.onLog),
    record: openProcessRecord(paths.processes),
    reports,
    readModules,
    stopModules: modules.stop,
  };
}
