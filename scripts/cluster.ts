import { join, resolve } from 'node:path';
import { type Cluster, ClusterBusy, findCluster, startCluster, stopCluster } from '../tools/kube-cluster/cluster.ts';
import { startApiServer } from '../tools/kube-cluster/control-plane/api-server.ts';
import { buildGreeter, buildImages } from '../tools/kube-cluster/images/images.ts';
import { stateFolder } from '../tools/kube-cluster/programs/folders.ts';
import { ensureTools } from '../tools/kube-cluster/programs/tools.ts';
import { PROGRAM_NAMES } from '../tools/kube-cluster/programs/versions.ts';
import { ClusterUnavailable } from '../tools/kube-cluster/unavailable.ts';

const USAGE = `npm run cluster -- COMMAND

  tools    build every program (about ten minutes, once) and print where each lies
  up       start a cluster of one node on this machine, as root; again: print it
  images   build the project's images, PostgreSQL's and the greeter's into the cluster's registry; print their references
  down     end the cluster and leave nothing of it
  api      run a Kubernetes API without nodes until Ctrl-C; any number, no root needed
`;

const commands: Readonly<Record<string, () => Promise<void>>> = { tools, up, images, down, api };

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function tools(): Promise<void> {
  for (const path of Object.values(await ensureTools(PROGRAM_NAMES))) say(path);
}

async function up(): Promise<void> {
  const folder = join(stateFolder(), 'cluster');
  const cluster: Cluster = (await findCluster()) ?? (await startCluster({ folder, outlives: true }));
  say(`export KUBECONFIG=${cluster.kubeconfig}`);
  say(`export PATH=${resolve(cluster.kubectlPath, '..')}:$PATH`);
}

async function images(): Promise<void> {
  const repoRoot = resolve(import.meta.dirname, '..');
  const built = { ...(await buildImages({ repoRoot })), greeter: await buildGreeter({ repoRoot }) };
  for (const reference of Object.values(built)) say(reference);
}

async function down(): Promise<void> {
  if (!(await stopCluster())) say('no cluster runs on this machine');
}

async function api(): Promise<void> {
  const server = await startApiServer();
  say(`export KUBECONFIG=${server.kubeconfig}`);
  await new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  await server.stop();
}

const command = commands[process.argv[2] ?? ''];
if (!command) {
  process.stderr.write(USAGE);
  process.exit(2);
}
try {
  await command();
} catch (error) {
  if (!(error instanceof ClusterUnavailable) && !(error instanceof ClusterBusy)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
