import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../process/command.ts';
import { withLock } from '../process/lock.ts';

/** The image that holds a Pod's namespaces open. */
export const PAUSE_IMAGE = 'localhost/aip-fleet/pause:1';

/** Waits for the signal that ends its Pod. */
const SOURCE = `package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	<-end
}
`;

/** The path of an archive with the image, made once: no image registry is needed for a cluster to start. */
export async function pauseImageArchive(cache: string): Promise<string> {
  const archive = join(cache, 'images', 'pause-1.tar');
  if (existsSync(archive)) return archive;
  return withLock(`${archive}.lock`, async () => {
    if (existsSync(archive)) return archive;
    const folder = await mkdtemp(join(cache, 'images', 'pause-'));
    try {
      await writeFile(join(folder, 'main.go'), SOURCE);
      const env = { CGO_ENABLED: '0', PATH: `${process.env.PATH}:/usr/local/go/bin`, GOWORK: 'off' };
      await mkdir(join(folder, 'root'));
      await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', 'root/pause', 'main.go'], { cwd: folder, env });
      await run('tar', ['--create', '--file=layer.tar', '--owner=0', '--group=0', '--directory=root', 'pause'], {
        cwd: folder,
      });
      await writeFile(join(folder, 'config.json'), imageConfig(await readFile(join(folder, 'layer.tar'))));
      const manifest = [{ Config: 'config.json', RepoTags: [PAUSE_IMAGE], Layers: ['layer.tar'] }];
      await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
      await run('tar', ['--create', '--file=image.tar', 'manifest.json', 'config.json', 'layer.tar'], { cwd: folder });
      await rename(join(folder, 'image.tar'), archive);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return archive;
  });
}

function imageConfig(layer: Buffer): string {
  return JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Entrypoint: ['/pause'], User: '65535:65535' },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  });
}
