import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImages, type Images } from '../../../../tools/kube-cluster/images/images.ts';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { ROOT } from './release.ts';

/** Chart and images of an earlier state of the project. */
export interface Earlier {
  readonly chart: string;
  readonly images: Images;
  remove(): Promise<void>;
}

/** Builds the commit before the present one beside it. Where the history does not reach back, the present commit takes its place, which is printed. */
export async function commitBefore(): Promise<Earlier> {
  const git = (...args: string[]): Promise<string> => run('git', ['-C', ROOT, ...args]);
  const before = await git('rev-parse', '--verify', '--quiet', 'HEAD^').catch(() => undefined);
  if (before === undefined)
    process.stderr.write('There is no commit before this one: the upgrade starts from this one.\n');
  const repoRoot = await mkdtemp(join(tmpdir(), 'aip-before-'));
  const remove = async (): Promise<void> => {
    await rm(repoRoot, { recursive: true, force: true });
    await git('worktree', 'prune');
  };
  try {
    await git('worktree', 'add', '--detach', repoRoot, before?.trim() ?? 'HEAD');
    await installPackages(repoRoot);
    // Labelled, so that every Pod is replaced also where the two commits build the same programs.
    const images = await buildImages({ repoRoot, revision: 'before' });
    return { chart: join(repoRoot, 'charts/aip-fleet'), images, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Installs what the lock file names: from here where that is the same, which takes a fraction of the time. */
async function installPackages(folder: string): Promise<void> {
  const lock = (root: string): Promise<string> => readFile(join(root, 'package-lock.json'), 'utf8');
  if ((await lock(folder)) !== (await lock(ROOT)))
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  else await run('cp', ['--archive', join(ROOT, 'node_modules'), folder]);
}
