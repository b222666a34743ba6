import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canListen } from '../free-port.js';

/** How the names of a server's socket and of the file that locks it begin; its port follows. */
const SOCKET_NAME = '.s.PGSQL.';

/** Longest path of a socket on macOS, in bytes; Linux takes 107. */
const MAX_PATH_BYTES = 103;

/**
 * Whether a server on this port can have its socket in this folder: its path is short enough, the setting can name it, and the file system has sockets, as
 * some that are shared with a virtual machine do not. PostgreSQL would not start without it.
 */
export async function canHaveSocket(folder: string, port: number): Promise<boolean> {
  const path = join(folder, `${SOCKET_NAME}${port}`);
  return !/[,"]/.test(folder) && Buffer.byteLength(path) <= MAX_PATH_BYTES && (await canListen({ path }));
}

/** The URL with the server's socket in this folder in place of its host. */
export function overSocket(url: string, folder: string): string {
  const moved = new URL(url);
  moved.hostname = encodeURIComponent(folder);
  return moved.href;
}

/** Removes what killed servers left: PostgreSQL takes a socket for used while any process has the number in its lock. Only for a folder without a server. */
export async function removeOldSockets(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => name.startsWith(SOCKET_NAME));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}
