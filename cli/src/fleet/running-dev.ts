import {
  type DataPaths,
  dataPaths,
  defaultDataDir,
  isAlive,
  type ProcessIdentity,
  readJson,
} from '@aip/controller/internal/data-folder';

/** The paths of the data folder that flags and environment name. */
export function devPaths(data: string | undefined, env: NodeJS.ProcessEnv): DataPaths {
  return dataPaths(data ?? defaultDataDir(env));
}

/** The process of the `aip dev` on a data folder; undefined when none runs. */
export async function runningDev(paths: DataPaths): Promise<ProcessIdentity | undefined> {
  const holder = await readJson<ProcessIdentity>(paths.lock);
  return holder && (await isAlive(holder)) ? holder : undefined;
}
