import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { nodeImage, postgresImage } from '../../../../tools/kube-cluster/images/base-images.ts';
import { imageBuilder } from '../../../../tools/kube-cluster/images/image-builder.ts';
import { withRegistry } from '../../../../tools/kube-cluster/images/images.ts';
import { REGISTRY } from '../../../../tools/kube-cluster/images/registry.ts';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { cacheFolder } from '../../../../tools/kube-cluster/programs/folders.ts';
import { ensureTools } from '../../../../tools/kube-cluster/programs/tools.ts';
import { type Block, blocksOf } from '../../docs/blocks.ts';
import { type Checkout, freshCheckout } from '../../docs/checkout.ts';
import type { E2eCluster } from './cluster.ts';
import { ROOT } from './release.ts';

/** Somebody who follows the guides: in a fresh clone, with kubectl, helm, aip, and a `docker` that is buildah. */
export interface Reader {
  readonly checkout: Checkout;
  /** Runs any command in the clone and returns what it printed. */
  sh(command: string): Promise<string>;
  /**
   * Runs the block of a document that contains `words`, whole and as printed but for what `filled` replaces, up to its first command that fails.
   * Returns what it printed.
   */
  runs(file: string, words: string, filled?: Readonly<Record<string, string>>): Promise<string>;
  /** The block of a document that contains `words`, which the test uses in another way. */
  takes(file: string, words: string): string;
  /** Blocks of these documents with a line that was not used, as `file:line`. */
  unused(files: readonly string[]): { place: string; text: string }[];
}

/** A reader for the one-node cluster, whose registry has the base images that the guides name. */
export async function openReader({ kubeconfig }: E2eCluster): Promise<Reader> {
  const cache = cacheFolder();
  const builder = imageBuilder(cache);
  const options = { cache, repoRoot: ROOT, builder };
  await builder.tag(await nodeImage(options), 'docker.io/library/node:24-bookworm-slim');
  const postgres = await postgresImage(options);
  await withRegistry(cache, () => builder.push(postgres, 'library/postgres', '18'));
  const checkout = await freshCheckout();
  const programs = join(dirname(checkout.folder), 'programs');
  await mkdir(programs);
  await symlink('/usr/bin/buildah', join(programs, 'docker'));
  await writeFile(join(programs, 'storage.conf'), storage(join(cache, 'buildah')));
  await writeFile(join(programs, 'registries.conf'), `[[registry]]\nlocation = "${REGISTRY}"\ninsecure = true\n`);
  const { kubectl, helm } = await ensureTools(['kubectl', 'helm']);
  const env = {
    ...(checkout.env as Record<string, string>),
    PATH: [
      programs,
      join(checkout.folder, 'node_modules/.bin'),
      dirname(kubectl),
      dirname(helm),
      process.env.PATH,
    ].join(':'),
    KUBECONFIG: kubeconfig,
    REGISTRY: `${REGISTRY}/aip`,
    BUILDAH_ISOLATION: 'chroot',
    BUILDAH_LAYERS: 'true',
    CONTAINERS_STORAGE_CONF: join(programs, 'storage.conf'),
    CONTAINERS_REGISTRIES_CONF: join(programs, 'registries.conf'),
  };
  const used = new Set<string>();
  const find = (file: string, words: string): Block => {
    const [block, ...others] = blocksOf(join(ROOT, file)).filter(({ text }) => text.includes(words));
    if (!block || others.length > 0)
      throw new Error(`${file} has ${block ? 'several blocks' : 'no block'} with "${words}"`);
    for (const line of block.text.split('\n')) used.add(line);
    return block;
  };
  const sh = (command: string): Promise<string> => run('bash', ['-e', '-c', command], { cwd: checkout.folder, env });
  return {
    checkout,
    sh,
    runs: (file, words, filled = {}) => {
      let { text } = find(file, words);
      for (const [placeholder, value] of Object.entries(filled)) {
        if (!text.includes(placeholder)) throw new Error(`the block has no ${placeholder}`);
        text = text.replaceAll(placeholder, value);
      }
      return sh(text);
    },
    takes: (file, words) => find(file, words).text,
    unused: (files) =>
      files.flatMap((file) =>
        blocksOf(file)
          .filter(({ text }) => text.split('\n').some((line) => !used.has(line)))
          .map(({ text, line }) => ({ place: `${relative(ROOT, file)}:${line}`, text })),
      ),
  };
}

function storage(folder: string): string {
  return `[storage]\ndriver = "overlay"\ngraphroot = "${join(folder, 'root')}"\nrunroot = "${join(folder, 'run')}"\n`;
}
