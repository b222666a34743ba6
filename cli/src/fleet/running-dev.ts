import {
  type DataPaths,
  dataPaths,
  defaultDataDir,
  isAlive,
  type ProcessIdentity,
  readJson,
} from '@aip/controller/internal/data-folder';
import { CliError, EXIT } from '../client/errors.js';

/** No `aip dev` runs on the data folder, or it did not answer. */
export class DevNotRunning extends CliError {
  readonly code = 'cli.dev_not_running';
  constructor(message: string) {
    super(message, EXIT.unreachable, 'Start one with `aip dev`, or name its folder with --data.');
  }
}

/** The paths of the data folder that flags and environment name. */
export function devPaths(data: string | undefined, env: NodeJS.ProcessEnv): DataPaths {
  return dataPaths(data ?? env.AIP_DEV_DATA ?? defaultDataDir(env));
}

/** The process of the `aip dev` on a data folder; undefined when none runs. */
export async function runningDev(paths: DataPaths): Promise<ProcessIdentity | undefined> {
  const holder = await readJson<ProcessIdentity>(paths.lock);
  return holder && (await isAlive(holder)) ? holder : undefined;
}
