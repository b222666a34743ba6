#!/usr/bin/env node
// Runs on any Node.js that can start it: an older one hands over to the one that was installed with this package.
if (Number(process.versions.node.split('.')[0]) < 24) await handOver();
else if (!isBuilt()) {
  process.stderr.write('aip is not built: run `npm run build` in the checkout.\n');
  process.exit(2);
} else {
  const cache = cacheFolder(process.env);
  if (cache) process.getBuiltinModule('node:module').enableCompileCache(cache);
  await import('../dist/main.js');
}

/** Whether a build of this checkout came to its end: the list of commands is what it writes last. */
function isBuilt() {
  const { existsSync } = process.getBuiltinModule('node:fs');
  return ['../oclif.manifest.json', '../dist/main.js'].every((file) => existsSync(new URL(file, import.meta.url)));
}

/** Where compiled code is kept: in a folder of the user, because whoever writes there decides what runs. */
function cacheFolder({ XDG_CACHE_HOME, HOME }) {
  const root = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  return root && `${root}/aip/compiled`;
}

async function handOver() {
  const { spawn } = await import('node:child_process');
  const { createRequire } = await import('node:module');
  const { dirname, join } = await import('node:path');
  let node;
  try {
    const found = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    node = join(dirname(found), 'bin', 'node');
  } catch {
    process.stderr.write(
      `aip needs Node.js 24 or newer, this is ${process.versions.node}. Install Node.js 24, or reinstall aip without --omit=optional.\n`,
    );
    process.exit(2);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(signal ? 130 : (code ?? 1)));
}
