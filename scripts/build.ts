import { spawnSync } from 'node:child_process';

/** Builds the three workspaces in dependency order; compiles only what changed. */
const result = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'runtime', 'controller', 'cli'], {
  stdio: 'inherit',
});
process.exit(result.status ?? 1);
