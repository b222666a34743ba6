import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { canonicalJson, sha256Hex } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../api/connector-instance.js';
import { ANNOTATIONS } from '../api/group.js';
import { secretFiles } from '../fleet/admission.js';
import {
  type DescribedConnector,
  DescribeFailed,
  parseDescription,
  refusalCode,
  refusalText,
} from '../fleet/described.js';
import { readJson, writePrivate } from '../fleet/files.js';
import { faultIn, moduleFault } from './module/module-fault.js';
import { moduleFiles } from './module/module-files.js';
import { childEnvironment, RUNTIME_BIN } from './process/programs.js';

/** Longest time a description may take, in ms. */
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Asks a connector for its manifest with the instance's configuration; the answer is kept by content in `cacheDir`. Throws DescribeFailed. */
export async function describeConnector(
  instance: ConnectorInstance,
  options: { cacheDir: string; env: NodeJS.ProcessEnv },
): Promise<DescribedConnector> {
  const module = instance.metadata.annotations?.[ANNOTATIONS.module];
  const { type } = instance.spec.connector;
  const config = JSON.stringify(instance.spec.config);
  const secrets = secretFiles(instance);
  const code = instance.metadata.annotations?.[ANNOTATIONS.moduleDigest] ?? null;
  // The file may have been saved since its digest was taken, and while it is described.
  const contents = async (): Promise<string | null> =>
    module === undefined ? null : (await moduleFiles(module)).digest;
  const before = await contents();
  const described = { type, config: instance.spec.config, secrets, module: module ?? null, code, contents: before };
  const key = sha256Hex(canonicalJson(described));
  const file = join(options.cacheDir, 'describe', `${key}.json`);
  const cached = await readJson<DescribedConnector>(file);
  if (cached) return cached;
  const found = await run(type, module, { config, secrets }, options);
  if ((await contents()) === before) await writePrivate(file, JSON.stringify(found));
  return found;
}

function run(
  type: string,
  module: string | undefined,
  { config, secrets }: { config: string; secrets: readonly string[] },
  options: { cacheDir: string; env: NodeJS.ProcessEnv },
): Promise<DescribedConnector> {
  const source = module ? ['--module', module] : ['--connector', type];
  const names = secrets.flatMap((name) => ['--secret-file', name]);
  const args = [RUNTIME_BIN, 'describe', ...source, '--config', config, ...names];
  const env = childEnvironment(options.env, 'AIP_CONNECTOR_', {}, options.cacheDir);
  return new Promise((done, fail) => {
    const limits = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env };
    execFile(process.execPath, args, limits, async (error, stdout, stderr) => {
      if (error) {
        const fault = await placeOfFault(stderr, module, env);
        return fail(new DescribeFailed(fault ?? refusalText(stderr, error.message)));
      }
      try {
        done(parseDescription(stdout, type));
      } catch (unreadable) {
        fail(unreadable);
      }
    });
  });
}

/** Where the user's own module is wrong, when that is why nothing was described. */
async function placeOfFault(
  stderr: string,
  module: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (module === undefined) return undefined;
  return (
    (await faultIn(stderr)) ?? (refusalCode(stderr) === 'connector.unknown' ? moduleFault(module, env) : undefined)
  );
}
