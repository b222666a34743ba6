import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

/** A copy of the repository as a fresh clone has it, with a home folder of its own. */
export interface Checkout {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** Copies every tracked file into a new folder: nothing that was installed or built comes along. */
export async function freshCheckout(): Promise<Checkout> {
  const base = await mkdtemp(join(tmpdir(), 'aip-docs-'));
  const folder = join(base, 'clone');
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  for (const name of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(join(ROOT, name), join(folder, name));
  }
  const { CI: _ci, AIP_GATEWAY_URL: _url, AIP_TOKEN: _token, ...rest } = process.env;
  const env = {
    ...rest,
    XDG_STATE_HOME: join(base, 'state'),
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_DATA_HOME: join(base, 'share'),
    NO_COLOR: '1',
  };
  return { folder, env, remove: () => rm(base, { recursive: true, force: true, maxRetries: 5 }) };
}
