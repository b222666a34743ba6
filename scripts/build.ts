import { spawnSync } from 'node:child_process';
import { writeCommandReference } from './generate/cli-docs.ts';
import { writeCliManifest } from './generate/cli-manifest.ts';

/** Builds the three workspaces in dependency order; compiles only what changed. With --check it fails when docs/commands.md was out of date. */
const result = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'runtime', 'controller', 'cli'], {
  stdio: 'inherit',
});
if (result.status === 0) {
  await writeCliManifest();
  const current = writeCommandReference();
  if (!current && process.argv.includes('--check')) {
    console.error('docs/commands.md was out of date: run `npm run build` and commit it');
    process.exit(1);
  }
}
process.exit(result.status ?? 1);
