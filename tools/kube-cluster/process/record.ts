import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ProcessIdentity } from './processes.ts';

/** Sockets, mounts and the record of the machine's one cluster. Lives as long as its processes can: until the next boot. */
export const RUN_FOLDER = '/run/aip-fleet';

const FILE = `${RUN_FOLDER}/cluster.json`;

/** Everything that a later process needs to end the cluster. */
export interface ClusterRecord {
  readonly folder: string;
  /** May the whole folder go when the cluster ends? Otherwise its logs stay. */
  readonly removeFolder: boolean;
  /** The process whose cluster it is; null: nobody's, it stays until it is taken down. */
  readonly owner: ProcessIdentity | null;
  /** There until it is started to the end. */
  readonly starting?: true;
  readonly programs: readonly (ProcessIdentity & { readonly name: string })[];
  /** Kernel settings to put back, by their file. */
  readonly sysctls: Readonly<Record<string, string>>;
}

/** The record, or undefined when there is no cluster on this machine. */
export async function readRecord(): Promise<ClusterRecord | undefined> {
  try {
    return JSON.parse(await readFile(FILE, 'utf8')) as ClusterRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the record; a reader sees the old one or the new one. */
export async function writeRecord(record: ClusterRecord): Promise<void> {
  await mkdir(RUN_FOLDER, { recursive: true, mode: 0o700 });
  await writeFile(`${FILE}.new`, JSON.stringify(record, null, 2), { mode: 0o600 });
  await rename(`${FILE}.new`, FILE);
}

/** Removes the run folder with the record. */
export async function removeRecord(): Promise<void> {
  await rm(RUN_FOLDER, { recursive: true, force: true });
}
