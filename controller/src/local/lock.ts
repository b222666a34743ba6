import { open, rm } from 'node:fs/promises';
import { privateDir, readJson } from './files.js';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

/** Another `aip dev` runs on this data folder. */
export class DataFolderInUse extends Error {
  readonly pid: number;
  constructor(folder: string, pid: number) {
    super(`Another aip dev (process ${pid}) runs on ${folder}; stop it, or take another folder with --data.`);
    this.name = 'DataFolderInUse';
    this.pid = pid;
  }
}

/** Takes the data folder for this process; gives a function that releases it. A lock left by a process that has ended is taken over. */
export async function lockDataFolder(folder: string, file: string): Promise<() => Promise<void>> {
  await privateDir(folder);
  for (let attempt = 0; ; attempt += 1) {
    try {
      const handle = await open(file, 'wx', 0o600);
      await handle.writeFile(JSON.stringify(await identityOf(process.pid)));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error;
      const holder = await readJson<ProcessIdentity>(file);
      if (holder && (await isAlive(holder))) throw new DataFolderInUse(folder, holder.pid);
      await rm(file, { force: true });
    }
  }
}
