import { join } from 'node:path';
import { run } from '../process/command.ts';
import { answersOk } from '../process/probe.ts';
import { ensurePackages, IMAGE_PACKAGES } from '../programs/debian.ts';
import { cacheFolder } from '../programs/folders.ts';
import type { ToolOptions } from '../programs/tools.ts';
import { nodeImage, postgresImage } from './base-images.ts';
import { imageBuilder } from './image-builder.ts';
import { REGISTRY, startRegistry } from './registry.ts';

export interface ImageOptions extends ToolOptions {
  /** The project's folder, with its node_modules. */
  readonly repoRoot: string;
  /** The label of the project's images, which sets images of equal content apart. */
  readonly revision?: string;
}

/** References with digests, `localhost:5000/aip/…@sha256:…`, that the cluster's node can pull. */
export interface Images {
  readonly controller: string;
  readonly runtime: string;
  readonly postgres: string;
}

/**
 * Builds the project's two images from its own Dockerfile, and one of PostgreSQL, and pushes them to the machine's registry (started for the
 * time when no cluster runs). Unchanged layers are not built or pushed again. Throws ClusterUnavailable, CommandFailed.
 */
export async function buildImages(options: ImageOptions): Promise<Images> {
  const { repoRoot, revision } = options;
  const cache = options.cache ?? cacheFolder();
  const log = options.log ?? ((line: string) => process.stderr.write(`${line}\n`));
  await ensurePackages(IMAGE_PACKAGES, log);
  const builder = imageBuilder(cache);
  const base = await nodeImage({ cache, repoRoot, builder });
  const postgres = await postgresImage({ cache, repoRoot, builder });
  // Nothing is put together again from the same sources, so that these give the same digests.
  await run(process.execPath, ['scripts/image-context.ts', '--if-changed'], { cwd: repoRoot });
  for (const target of ['controller', 'runtime']) {
    const args = { NODE_IMAGE: base, ...(revision !== undefined && { REVISION: revision }) };
    await builder.build(`localhost/aip/${target}`, { context: repoRoot, target, args });
  }
  return withRegistry(cache, async () => ({
    controller: await builder.push('localhost/aip/controller', 'aip/controller'),
    runtime: await builder.push('localhost/aip/runtime', 'aip/runtime'),
    postgres: await builder.push(postgres, 'aip/postgres'),
  }));
}

/** Builds the image of the connector in docs/examples on the runtime image that was built last, and pushes it; returns its reference. */
export async function buildGreeter({ repoRoot, cache = cacheFolder() }: ImageOptions): Promise<string> {
  const builder = imageBuilder(cache);
  const image = 'localhost/aip/greeter';
  const context = join(repoRoot, 'docs', 'examples');
  await builder.build(image, { context, args: { AIP_RUNTIME: 'localhost/aip/runtime' } });
  return withRegistry(cache, () => builder.push(image, 'aip/greeter'));
}

/** Builds the image of another release of PostgreSQL from the npm package in `packageFolder`, and pushes it; returns its reference. */
export async function buildPostgres(
  { repoRoot, cache = cacheFolder() }: ImageOptions,
  packageFolder: string,
): Promise<string> {
  const builder = imageBuilder(cache);
  const image = await postgresImage({ cache, repoRoot, builder }, packageFolder);
  return withRegistry(cache, () => builder.push(image, 'aip/postgres'));
}

/** Does `work` while the registry runs: the cluster's, or one for the time. */
export async function withRegistry<T>(cache: string, work: () => Promise<T>): Promise<T> {
  if (await answersOk(`http://${REGISTRY}/v2/`)) return work();
  const registry = await startRegistry(cache, join(cache, 'registry'), false);
  try {
    return await work();
  } finally {
    registry.signal('SIGTERM');
    await registry.ended;
  }
}
