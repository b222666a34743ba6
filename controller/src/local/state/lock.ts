import { NamedError } from '@aip/runtime/internal/protocol';
import { takeLock } from '../../fleet/file-lock.js';
import { privateDir } from '../../fleet/files.js';

/** Another `aip dev` runs on this data folder. */
function dataFolderInUse(folder: string, pid: number): NamedError {
  return new NamedError(
    `Another aip dev (process ${pid}) runs on ${folder}.\nStop it with \`aip dev stop\`, or take another folder with --data.`,
    { name: 'DataFolderInUse' },
  );
}

/** Takes the data folder for this process; gives a function that releases it. A lock left by a process that has ended is taken over. */
export async function lockDataFolder(folder: string, file: string): Promise<() => Promise<void>> {
  await privateDir(folder);
  const taken = await takeLock(file);
  if ('heldBy' in taken) throw dataFolderInUse(folder, taken.heldBy);
  return taken.release;
}
