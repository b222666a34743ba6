import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, CommandMissing, run } from '../process/command.ts';
import { withLock } from '../process/lock.ts';
import { ClusterUnavailable } from '../unavailable.ts';
import { type GoModule, PROGRAMS, type ProgramName } from './versions.ts';

/** Where a built program lies in a cache folder. */
export function programPath(cache: string, name: ProgramName): string {
  return join(cache, 'bin', `${name}-${PROGRAMS[name].module.version}`, name);
}

/**
 * Builds one program into the cache folder, unless it is there; another process that builds from the same module is waited for.
 * Throws ClusterUnavailable when there is no Go, or a module can't be had or built.
 */
export async function buildProgram(cache: string, name: ProgramName, log: (line: string) => void): Promise<string> {
  const file = programPath(cache, name);
  if (existsSync(file)) return file;
  const { module, package: folder, coldSeconds } = PROGRAMS[name];
  const workFolder = join(cache, 'build', `${module.path.replaceAll('/', '-')}-${module.version}`);
  return withLock(`${workFolder}.lock`, async () => {
    if (existsSync(file)) return file;
    log(`building ${name} ${module.version} (up to ${coldSeconds} s on two cores, once)`);
    const start = performance.now();
    try {
      await prepareModule(workFolder, module);
      const built = join(workFolder, name);
      const target = folder ? `${module.path}/${folder}` : module.path;
      await go(workFolder, ['build', '-trimpath', '-ldflags', linkerFlags(module), '-o', built, target]);
      await mkdir(join(file, '..'), { recursive: true });
      await rename(built, file);
    } catch (error) {
      throw asUnavailable(name, error);
    }
    log(`built ${name} in ${Math.round((performance.now() - start) / 1000)} s`);
    return file;
  });
}

/** A go.mod that pins the module, and all that its packages need, verified by Go's checksum database. */
async function prepareModule(folder: string, module: GoModule): Promise<void> {
  const ready = join(folder, 'ready');
  if (existsSync(ready)) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'go.mod'), goMod(await replacements(folder, module)));
  const targets = Object.values(PROGRAMS)
    .filter((program) => program.module.path === module.path)
    .map((program) => `${[module.path, program.package].filter(Boolean).join('/')}@v${module.version}`);
  await go(folder, ['get', ...targets]);
  await writeFile(ready, '');
}

/**
 * A module that keeps its libraries in folders beside it names them by folder. From outside they are modules of their own, of the same minor
 * version: Kubernetes 1.36.3 has its libraries as v0.36.3.
 */
async function replacements(folder: string, module: GoModule): Promise<string[]> {
  if (!module.path.startsWith('k8s.io/')) return [];
  const download = await go(folder, ['mod', 'download', '-json', `${module.path}@v${module.version}`]);
  const { GoMod } = JSON.parse(download) as { GoMod: string };
  return stagingReplacements(await readFile(GoMod, 'utf8'), module.version);
}

/** The `replace` lines for every library that a go.mod takes from its staging folder. */
export function stagingReplacements(goModText: string, version: string): string[] {
  const libraryVersion = `v0.${version.split('.').slice(1).join('.')}`;
  const found = goModText.matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\//gm);
  return [...found].map(([, path]) => `replace ${path} => ${path} ${libraryVersion}`);
}

function goMod(replaceLines: readonly string[]): string {
  return ['module aip-fleet-cluster', 'go 1.26', ...replaceLines, ''].join('\n');
}

/** No symbols, no debug information, and the version that the program reports. */
export function linkerFlags(module: GoModule): string {
  return ['-s', '-w', ...module.versionVariables.map((name) => `-X ${name}=v${module.version}`)].join(' ');
}

async function go(folder: string, args: readonly string[]): Promise<string> {
  const env = { CGO_ENABLED: '0', PATH: `${process.env.PATH}:/usr/local/go/bin`, GOWORK: 'off', GOFLAGS: '' };
  return run('nice', ['-n', '10', 'go', ...args], { cwd: folder, env });
}

/** `nice` reports a program that is not there by ending with 127. */
function asUnavailable(name: string, error: unknown): unknown {
  if (error instanceof CommandMissing) return new ClusterUnavailable(`can't build ${name}: ${error.message}`);
  if (error instanceof CommandFailed) {
    return new ClusterUnavailable(`can't build ${name} with Go: ${error.message}`, { cause: error });
  }
  return error;
}
