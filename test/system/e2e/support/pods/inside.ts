import type { Release } from '../release.ts';

/** A Pod, or `deployment/NAME` for one of its Pods. */
interface Target {
  name: string;
  namespace: string;
}

/** What a module prints that Node.js runs inside a Pod of the fleet; their images have no shell. */
export function runInside(
  kubectl: Release['kubectl'],
  { name, namespace }: Target,
  module: string,
  ...args: string[]
): Promise<string> {
  const node = ['/usr/local/bin/node', '--input-type=module', '--eval', module, '--', ...args];
  return kubectl('exec', '-n', namespace, name, '--', ...node);
}

/** A process of a Pod, as /proc/PID/status names its members. */
export type ProcessStatus = Record<(typeof MEMBERS)[number], string>;

/** What a Pod's own processes may do. */
export interface Confinement {
  /** The processes of Node.js, without the one that reads this. */
  processes: ProcessStatus[];
  /** Files below /var/run/secrets. */
  secrets: string[];
  /** Error codes of writes into folders of the image. */
  writes: Record<string, string>;
  /** Mounts that its user can write to, without those of the kernel. */
  writable: string[];
}

const MEMBERS = ['Uid', 'Gid', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp'] as const;
const FOLDERS = ['/', '/app', '/etc', '/usr/local/bin', '/var/lib'];

const READ_CONFINEMENT = `
  import { accessSync, constants, existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  const [members, folders] = process.argv.slice(1).map((text) => JSON.parse(text));
  const outcome = (work) => {
    try {
      work();
      return 'done';
    } catch (error) {
      return error.code;
    }
  };
  const isNode = (pid) => {
    try {
      return readlinkSync('/proc/' + pid + '/exe').endsWith('/node');
    } catch {
      return false;
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid && isNode(name));
  const processes = pids.map((pid) => {
    const lines = readFileSync('/proc/' + pid + '/status', 'utf8').split('\\n').map((line) => line.split(':\\t'));
    return Object.fromEntries(lines.filter(([member]) => members.includes(member)));
  });
  const root = '/var/run/secrets';
  const files = existsSync(root) ? readdirSync(root, { recursive: true }) : [];
  const secrets = files.filter((file) => statSync(join(root, file)).isFile() && !file.includes('..')).sort();
  const writes = Object.fromEntries(folders.map((folder) => [folder, outcome(() => writeFileSync(join(folder, 'probe'), ''))]));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\\n').map((line) => line.split(' ')[4]);
  const writable = mounts.filter((path) => !/^\\/(proc|sys|dev)(\\/|$)/.test(path)).filter((path) => outcome(() => accessSync(path, constants.W_OK)) === 'done');
  process.stdout.write(JSON.stringify({ processes, secrets, writes, writable: writable.sort() }));`;

/** What the processes of a Pod of the fleet may do, seen from inside of it. */
export async function confinementOf(kubectl: Release['kubectl'], pod: Target): Promise<Confinement> {
  const args = [MEMBERS, FOLDERS].map((list) => JSON.stringify(list));
  return JSON.parse(await runInside(kubectl, pod, READ_CONFINEMENT, ...args)) as Confinement;
}
