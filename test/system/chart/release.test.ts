import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

const root = join(import.meta.dirname, '..', '..', '..');
const text = readFileSync(join(root, '.github', 'workflows', 'release.yaml'), 'utf8');
const { jobs, permissions } = parse(text) as {
  permissions: object;
  jobs: Record<string, { permissions?: object; strategy?: { matrix: { target: string[] } }; steps: Step[] }>;
};

test('the release workflow builds every target of the Dockerfile that a chart value names, with provenance and a bill of materials', () => {
  const targets = jobs.images?.strategy?.matrix.target ?? [];
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  for (const target of targets) expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${target}$`, 'm'));
  expect([...targets].sort()).toEqual(['controller', 'runtime']);
  const build = jobs.images?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
  expect(build?.with).toMatchObject({ push: true, provenance: 'mode=max', sbom: true });
});

describe('the base image of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aip-base-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const expression = (text: string): string => `\${{ ${text} }}`;
  const NAME = 'docker.io/library/node:24-bookworm-slim';

  /** Runs the step with a docker that answers so; returns its exit code and what it put out. */
  function resolve(answer: string): [status: number | null, output: string] {
    const output = join(folder, 'output');
    writeFileSync(output, '');
    const asked = `buildx imagetools inspect ${NAME} --format {{.Manifest.Digest}}`;
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\ntest "$*" = '${asked}' && echo '${answer}'\n`, { mode: 0o755 });
    const script = jobs.base?.steps.find(({ name }) => name === 'Resolve the base image to its digest')?.run;
    const env = { PATH: `${folder}:/usr/bin:/bin`, GITHUB_OUTPUT: output };
    const { status } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script ?? 'false'], { cwd: root, env });
    return [status, readFileSync(output, 'utf8')];
  }

  test('is the one that the Dockerfile names, by the digest that its tag has then', () => {
    const digest = `sha256:${'1a'.repeat(32)}`;
    expect(resolve(digest)).toEqual([0, `image=${NAME}@${digest}\n`]);
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(new RegExp(`^ARG NODE_IMAGE=${NAME}$`, 'm'));
    expect(jobs.images).toMatchObject({ needs: 'base' });
    const build = jobs.images?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(build?.with?.['build-args']).toContain(`NODE_IMAGE=${expression('needs.base.outputs.image')}\n`);
    expect(jobs.base).toMatchObject({ outputs: { image: expression('steps.resolve.outputs.image') } });
  });

  test.each(['', 'sha256:12', `sha512:${'1a'.repeat(32)}`])('ends the release when the answer is %j', (answer) => {
    expect(resolve(answer)).toEqual([1, '']);
  });
});

test('images and chart are signed by digest, archives by their content, and only their jobs may write, each to one place', () => {
  expect(permissions).toEqual({ contents: 'read' });
  const signing = { 'id-token': 'write', attestations: 'write' };
  const { images, chart, plugin } = jobs;
  expect(Object.keys(jobs)).toEqual(['base', 'images', 'chart', 'plugin']);
  expect(jobs.base?.permissions).toBeUndefined();
  for (const job of [images, chart]) {
    expect(job?.permissions).toEqual({ contents: 'read', packages: 'write', ...signing });
    expect(job?.steps.some(({ run }) => /cosign sign --yes "\$\w+@\$\w+"/.test(run ?? ''))).toBe(true);
  }
  expect(plugin?.permissions).toEqual({ contents: 'write', ...signing });
  expect(plugin?.steps.some(({ run }) => run?.includes('cosign sign-blob --yes --bundle'))).toBe(true);
  for (const job of [images, chart, plugin])
    expect(job?.steps.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))).toBe(true);
});

describe('the kubectl plugin of a release', () => {
  const step = (word: string): Step => {
    const found = jobs.plugin?.steps.find(({ name }) => name?.includes(word));
    if (!found) throw new Error(`no step names ${word}`);
    return found;
  };
  const folder = mkdtempSync(join(tmpdir(), 'aip-release-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const run = (script: string | undefined, env: Record<string, string>, cwd: string) =>
    spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script ?? 'false'], { cwd, env: { ...process.env, ...env } });

  test('is packed for both processors by the scripts that exist, into one manifest for the release of the tag', () => {
    const bin = join(folder, 'bin');
    const calls = join(folder, 'calls');
    mkdirSync(bin);
    for (const program of ['npm', 'node']) {
      writeFileSync(join(bin, program), `#!/bin/sh\necho "${program} $*" >> "${calls}"\n`);
      chmodSync(join(bin, program), 0o755);
    }
    const env = { PATH: `${bin}:/usr/bin:/bin`, GITHUB_REPOSITORY: 'acme/aip-fleet', GITHUB_REF_NAME: 'v1.2.3' };
    expect(run(step('Pack').run, env, folder).status).toBe(0);
    const url = 'https://github.com/acme/aip-fleet/releases/download/v1.2.3/';
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
      'npm ci',
      'npm run pack:cli -- --out dist',
      ...['x64', 'arm64'].flatMap((cpu) => [
        `npm ci --ignore-scripts --os=linux --cpu=${cpu}`,
        `node scripts/pack-krew.ts --tarball dist/aip-cli-*.tgz --out dist --arch ${cpu} --url ${url}`,
      ]),
    ]);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['pack:cli']).toBeDefined();
    expect(existsSync(join(root, 'scripts', 'pack-krew.ts'))).toBe(true);
  });

  test('is published only with a manifest whose digests are those of both archives', () => {
    const dist = join(folder, 'checked', 'dist');
    mkdirSync(dist, { recursive: true });
    const platforms = ['amd64', 'arm64'].map((arch) => {
      const name = `kubectl-aip-v1.2.3-linux-${arch}.tar.gz`;
      writeFileSync(join(dist, name), arch);
      const sha256 = createHash('sha256').update(arch).digest('hex');
      return {
        selector: { matchLabels: { os: 'linux', arch } },
        uri: `https://acme.test/v1.2.3/${name}`,
        sha256,
        bin: 'x',
      };
    });
    const write = (of: object[]) =>
      writeFileSync(
        join(dist, 'aip.yaml'),
        stringify({ spec: { version: 'v1.2.3', platforms: of } }, { lineWidth: 0 }),
      );
    const check = () => run(step('manifest names').run, {}, join(folder, 'checked')).status;
    write(platforms);
    expect(check()).toBe(0);
    write(platforms.slice(1));
    expect(check()).not.toBe(0);
    write(platforms);
    writeFileSync(join(dist, 'kubectl-aip-v1.2.3-linux-arm64.tar.gz'), 'changed');
    expect(check()).not.toBe(0);
  });

  test('is uploaded with its manifest to the release of the tag, whose version the packages have', () => {
    const upload = step('Sign the archives').run ?? '';
    for (const files of ['*.tgz', '*.tar.gz', '*.sigstore.json', 'aip.yaml'])
      expect(upload.slice(upload.indexOf('gh release upload'))).toContain(files);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const tag = (name: string) => run(step('tag and packages').run, { GITHUB_REF_NAME: name }, root).status;
    expect(tag(`v${version}`)).toBe(0);
    expect(tag('v99.0.0')).not.toBe(0);
  });
});

test('every action is pinned by the digest of its commit, with its version beside it', () => {
  const used = [...text.matchAll(/uses: (\S+)(.*)/g)];
  expect(used.length).toBeGreaterThan(10);
  for (const [, name, version] of used) {
    expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});
