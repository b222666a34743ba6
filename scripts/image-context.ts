import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { assembleImage } from './image/assemble.ts';
import { sourceStamp } from './image/stamp.ts';

/**
 * Puts together in build/image/runtime and build/image/controller what the container images hold beside Node.js. The Dockerfile runs it
 * with --in-image: it then uses what was put together before, when that was made from the same sources, and else installs and builds with
 * npm. So the images can also be built where the builder has neither npm nor a network: run this script first. With --if-changed it does
 * nothing when the sources are those that it put together last.
 */
const root = resolve(import.meta.dirname, '..');
const output = join(root, 'build', 'image');
const stampFile = join(output, 'stamp');
const inImage = process.argv.includes('--in-image');
const ifChanged = inImage || process.argv.includes('--if-changed');

const stamp = sourceStamp(root);
const present = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;

if (present && ifChanged) process.stdout.write('build/image was put together from these sources\n');
else {
  if (inImage) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'runtime', 'controller']);
  const seconds = process.env.SOURCE_DATE_EPOCH;
  const now = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
  const created = `${now.toISOString().slice(0, 19)}Z`;
  for (const workspace of ['runtime', 'controller'])
    assembleImage({ root, workspace, target: join(output, workspace), created });
  mkdirSync(output, { recursive: true });
  writeFileSync(stampFile, stamp);
}

function run(command: string, args: string[]): void {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error !== undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') {
    process.stderr.write(
      `${command} is not in the base image: run \`node scripts/image-context.ts\` before the build, or build from an image that has npm\n`,
    );
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
}
