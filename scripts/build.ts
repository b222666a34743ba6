import { spawnSync } from 'node:child_process';
import { writeCommandReference } from './generate/cli-docs.ts';
import { writeCliManifest } from './generate/cli-manifest.ts';

/** Builds the three workspaces in dependency order; compiles only what changed. */
const result = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'runtime', 'controller', 'cli'], {
  stdio: 'inherit',
});
if (result.status === 0) {
  await writeCliManifest();
  writeCommandReference();
}
process.exit(result.status ?? 1);
