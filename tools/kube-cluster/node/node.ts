import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Authority } from '../control-plane/certificates.ts';
import type { Credential } from '../control-plane/kubeconfig.ts';
import { pauseImageArchive } from '../images/pause-image.ts';
import { run } from '../process/command.ts';
import { freePorts } from '../process/ports.ts';
import { answersOk } from '../process/probe.ts';
import type { Running } from '../process/program.ts';
import { waitReady } from '../process/ready.ts';
import { CONTAINERD_SOCKET, writeContainerdConfig } from './containerd.ts';
import { corefile } from './coredns.ts';
import { kubeProxyConfig } from './kube-proxy.ts';
import { kubeletArguments, kubeletConfig, NODE_NAME } from './kubelet.ts';

/** What a node is started with. */
export interface NodeContext {
  readonly folder: string;
  readonly cache: string;
  readonly tools: Readonly<Record<NodeToolName, string>>;
  readonly authority: Authority;
  /** Starts a program of the cluster and puts it on record. */
  start(
    name: string,
    command: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Running>;
  /** Writes `<folder>/<name>.kubeconfig`. */
  writeKubeconfig(name: string, credential: Credential): Promise<string>;
  /** Runs kubectl as the administrator. */
  kubectl(args: readonly string[]): Promise<string>;
}

type NodeToolName =
  | 'kube-scheduler'
  | 'kubelet'
  | 'kube-proxy'
  | 'containerd'
  | 'containerd-shim-runc-v2'
  | 'ctr'
  | 'coredns';

type FivePorts = [number, number, number, number, number];

/** Starts the container runtime; needs no API server. Waits until it has the image that every Pod begins with. */
export async function startRuntime({ folder, cache, tools, start }: NodeContext): Promise<void> {
  await writeContainerdConfig(folder);
  const env = { PATH: `${dirname(tools['containerd-shim-runc-v2'])}:${process.env.PATH}` };
  const runtime = await start('containerd', tools.containerd, ['--config', join(folder, 'containerd.toml')], env);
  const ctr = (...args: string[]): Promise<string> =>
    run(tools.ctr, ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', ...args]);
  await waitReady(runtime, async () => (await ctr('version')) !== '');
  await ctr('images', 'import', await pauseImageArchive(cache));
}

/** Starts scheduler, kubelet, kube-proxy and DNS; returns when Pods can run and find Services. */
export async function startNode(context: NodeContext): Promise<void> {
  const { folder, tools, authority, start } = context;
  const [kubelet, kubeletHealth, dnsReady, health, metrics] = (await freePorts(5)) as FivePorts;
  const scheduler = await context.writeKubeconfig('kube-scheduler', await authority.client('system:kube-scheduler'));
  await start('kube-scheduler', tools['kube-scheduler'], [
    `--kubeconfig=${scheduler}`,
    '--leader-elect=false',
    '--secure-port=0',
  ]);

  await context.writeKubeconfig('kubelet', await authority.client(`system:node:${NODE_NAME}`, ['system:nodes']));
  await mkdir(join(folder, 'kubelet'), { recursive: true });
  await writeFile(join(folder, 'kubelet.json'), kubeletConfig(folder, { kubelet, kubeletHealth }));
  const node = await start('kubelet', tools.kubelet, kubeletArguments(folder));

  await context.writeKubeconfig('kube-proxy', await authority.client('system:kube-proxy'));
  await writeFile(join(folder, 'kube-proxy.json'), kubeProxyConfig(folder, { health, metrics }));
  const proxy = await start('kube-proxy', tools['kube-proxy'], ['--config', join(folder, 'kube-proxy.json')]);

  await context.writeKubeconfig('coredns', await authority.client('coredns', ['system:masters']));
  await writeFile(join(folder, 'Corefile'), corefile(folder, dnsReady));
  const dns = await start('coredns', tools.coredns, ['-conf', join(folder, 'Corefile')]);

  await waitReady(dns, () => answersOk(`http://127.0.0.1:${dnsReady}/ready`));
  await waitReady(proxy, () => answersOk(`http://127.0.0.1:${health}/healthz`));
  await waitReady(node, () => answersOk(`http://127.0.0.1:${kubeletHealth}/healthz`));
  await context.kubectl(['wait', '--for=create', '--timeout=60s', `node/${NODE_NAME}`]);
  await context.kubectl(['wait', '--for=condition=Ready', '--timeout=60s', `node/${NODE_NAME}`]);
}
