import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a program that no package brings is installed on this machine. */
export function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => existsSync(join(folder, program)));
}
