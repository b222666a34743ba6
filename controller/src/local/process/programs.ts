import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Folder of the installed runtime package. */
export const RUNTIME_DIR = dirname(require.resolve('@aip/runtime/package.json'));
/** Entry of `aip-runtime gateway | host | describe`. */
export const RUNTIME_BIN = join(RUNTIME_DIR, 'bin', 'aip-runtime.js');
/** Entry of `aip-controller control-plane`. */
export const CONTROLLER_BIN = join(
  dirname(require.resolve('@aip/controller/package.json')),
  'bin',
  'aip-controller.js',
);
/** Version of the runtime package. */
export const RUNTIME_VERSION = (require('@aip/runtime/package.json') as { version: string }).version;

/** Digest of the code that every host runs besides the user's own module: another one after an upgrade or a build. */
export async function runtimeDigest(): Promise<string> {
  const folder = join(RUNTIME_DIR, 'dist');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js')).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const hash = createHash('sha256').update(RUNTIME_VERSION);
  for (const [at, name] of names.entries()) hash.update(`\0${name}\0`).update(contents[at] as Buffer);
  return `sha256:${hash.digest('hex')}`;
}

const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'NODE_DISABLE_COMPILE_CACHE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/**
 * The environment of a child: a few variables of the machine, those of telemetry, `defaults`, the variables of `env` that begin with `prefix`, and `own`, which
 * wins, also over the `_FILE` form of its names. The compile cache halves the start of programs that ran before; the user's own
 * wins over that of the data folder.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  prefix: string,
  own: Readonly<Record<string, string>>,
  cacheDir: string,
  defaults: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const ruled = new Set(Object.keys(own).flatMap((name) => [name, `${name}_FILE`, name.replace(/_FILE$/, '')]));
  const passed = Object.entries(env).filter(
    ([name]) => PASSED_ON.includes(name) || name.startsWith('OTEL_') || (name.startsWith(prefix) && !ruled.has(name)),
  );
  return { NODE_COMPILE_CACHE: join(cacheDir, 'compile'), ...defaults, ...Object.fromEntries(passed), ...own };
}
