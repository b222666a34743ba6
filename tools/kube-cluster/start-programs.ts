import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_ADDRESS } from './control-plane/addresses.ts';
import {
  apiServerArguments,
  apiServerReady,
  type ControlPlaneSettings,
  controllerManagerArguments,
  controllerManagerReady,
  etcdArguments,
  etcdReady,
} from './control-plane/control-plane.ts';
import { kubeconfig, writeKubeconfig } from './control-plane/kubeconfig.ts';
import { createPki } from './control-plane/pki.ts';
import { startRegistry } from './images/registry.ts';
import { createBridge, setSysctls } from './node/network.ts';
import { type NodeContext, startNode, startRuntime } from './node/node.ts';
import { createVolumeFolders, storageObjects } from './node/volumes.ts';
import { run } from './process/command.ts';
import { freePorts } from './process/ports.ts';
import { type Running, startProgram } from './process/program.ts';
import type { NODE_PROGRAMS } from './programs/versions.ts';

/**
 * Starts everything of a cluster in order, slow ones beside each other, and returns when its node is Ready and has volumes. Each program is reported
 * to `onRecord` as soon as it runs. Throws ProgramFailed.
 */
export async function startPrograms(
  folder: string,
  cache: string,
  tools: Readonly<Record<(typeof NODE_PROGRAMS)[number], string>>,
  onRecord: (running: Running) => Promise<void>,
): Promise<void> {
  const logFolder = join(folder, 'log');
  await rm(logFolder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await setSysctls();
  await createBridge();
  const pki = await createPki(folder, [NODE_ADDRESS]);
  const [etcd, etcdPeer, api] = (await freePorts(3)) as [number, number, number];
  const settings: ControlPlaneSettings = {
    folder,
    ports: { etcd, etcdPeer, api },
    bindAddress: '0.0.0.0',
    advertiseAddress: NODE_ADDRESS,
  };
  const url = `https://127.0.0.1:${api}`;
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    run(
      tools.kubectl,
      ['--kubeconfig', join(folder, 'admin.kubeconfig'), ...args],
      input === undefined ? {} : { input },
    );
  const context: NodeContext = {
    folder,
    cache,
    tools,
    authority: pki.authority,
    start: async (name, command, args, env = {}) => {
      const running = await startProgram({ name, command, args, env, logFolder, outlives: true });
      await onRecord(running);
      return running;
    },
    writeKubeconfig: (name, credential) =>
      writeKubeconfig(join(folder, `${name}.kubeconfig`), kubeconfig(url, pki.authority.cert, credential)),
    kubectl,
  };
  await context.writeKubeconfig('admin', pki.admin);
  await etcdReady(await context.start('etcd', tools.etcd, etcdArguments(settings)), settings.ports);
  const server = await context.start('kube-apiserver', tools['kube-apiserver'], apiServerArguments(settings));
  // The API server takes its seconds; the runtime and the registry need nothing of it.
  await startRuntime(context);
  await onRecord(await startRegistry(cache, logFolder, true));
  await apiServerReady(server, settings.ports, pki);
  const manager = await pki.authority.client('system:kube-controller-manager');
  await context.writeKubeconfig('kube-controller-manager', manager);
  const managerArguments = controllerManagerArguments(settings);
  const controllers = await context.start(
    'kube-controller-manager',
    tools['kube-controller-manager'],
    managerArguments,
  );
  await startNode(context);
  await controllerManagerReady(controllers, settings.ports, pki);
  await createVolumeFolders(folder);
  await kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(storageObjects(folder)));
}
