import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../process/command.ts';
import { REGISTRY } from './registry.ts';

/** Builds images and pushes them to the machine's own registry. Layers are kept in the cache folder. */
export interface ImageBuilder {
  /** Is there an image of this name? */
  has(image: string): Promise<boolean>;
  /** Builds a Dockerfile. */
  build(image: string, options: BuildOptions): Promise<void>;
  /** Gives an image another name too. */
  tag(image: string, alias: string): Promise<void>;
  /** Pushes an image as `localhost:5000/<name>`, by the tag `latest` unless given; returns its reference with the digest, `localhost:5000/<name>@sha256:…`. */
  push(image: string, name: string, tag?: string): Promise<string>;
}

export interface BuildOptions {
  /** Folder that COPY reads from. */
  readonly context: string;
  /** Default: `Dockerfile` in the context. */
  readonly file?: string;
  readonly target?: string;
  readonly args?: Readonly<Record<string, string>>;
}

/** An image builder that needs no daemon and no right that a container lacks. */
export function imageBuilder(cache: string): ImageBuilder {
  const root = join(cache, 'buildah');
  const storage = ['--root', join(root, 'root'), '--runroot', join(root, 'run')];
  const env = { STORAGE_DRIVER: 'overlay', BUILDAH_ISOLATION: 'chroot' };
  const buildah = async (command: string, ...args: string[]): Promise<string> => {
    await mkdir(root, { recursive: true });
    return run('buildah', [...storage, command, ...args], { env });
  };
  return {
    has: async (image) => {
      const images = JSON.parse(await buildah('images', '--json')) as { names?: string[] }[];
      return images.some(({ names }) => names?.includes(image));
    },
    build: async (image, { context, file, target, args = {} }) => {
      const given = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
      const chosen = target ? ['--target', target] : [];
      const dockerfile = ['--file', file ?? join(context, 'Dockerfile')];
      await buildah('build', '--layers', '--pull-never', '--tag', image, ...dockerfile, ...chosen, ...given, context);
    },
    tag: async (image, alias) => {
      await buildah('tag', image, alias);
    },
    push: async (image, name, tag = 'latest') => {
      const folder = await mkdtemp(join(tmpdir(), 'aip-push-'));
      try {
        const digestFile = join(folder, 'digest');
        const target = `docker://${REGISTRY}/${name}:${tag}`;
        await buildah('push', '--tls-verify=false', '--digestfile', digestFile, image, target);
        return `${REGISTRY}/${name}@${(await readFile(digestFile, 'utf8')).trim()}`;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
