import { commandLineOf, processFacts } from '@aip/runtime/internal/process';
import { every } from '@aip/runtime/internal/time';
import { identityOf, isAlive, type ProcessIdentity } from '../../fleet/process-identity.js';

/** How often the launcher is checked, in ms. */
const CHECK_MS = 2000;
/** npm, its shell and this process: more there are not. */
const MOST_ANCESTORS = 4;

/**
 * Calls `gone` once when the npm or npx that started this process has ended: it does not pass SIGTERM on. A process that nothing of npm started may
 * outlive its parent, as with nohup. Gives a function that stops watching.
 */
export async function watchLauncher(env: NodeJS.ProcessEnv, gone: () => void): Promise<() => void> {
  if (!env.npm_command && !env.npm_lifecycle_event) return () => undefined;
  const ancestors = await launchersOf(process.ppid);
  const first = process.ppid;
  const check = async (): Promise<void> => {
    const alive = await Promise.all(ancestors.map(isAlive));
    if (process.ppid === first && alive.every(Boolean)) return;
    stop();
    gone();
  };
  const stop = every(CHECK_MS, check, { ref: false });
  return stop;
}

/** The parent and its parents up to the first that is npm itself; the parent alone where that can't be seen. */
async function launchersOf(parent: number): Promise<ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (let pid = parent; found.length < MOST_ANCESTORS && pid > 1; ) {
    const identity = await identityOf(pid);
    if (!identity) break;
    found.push(identity);
    const words = await commandLineOf(pid);
    if (/\bnp[mx]\b/.test(words) && !/^(\S*\/)?(ba|da|z)?sh /.test(words)) return found;
    pid = (await processFacts(pid))?.parent ?? 0;
  }
  return found.slice(0, 1);
}
