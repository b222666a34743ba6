import { join } from 'node:path';
import { type Running, startProgram } from '../process/program.ts';
import {
  apiServerArguments,
  apiServerReady,
  COMPONENTS,
  type ComponentName,
  type ControlPlaneSettings,
  controllerManagerArguments,
  controllerManagerReady,
  etcdArguments,
  etcdReady,
} from './control-plane.ts';
import type { Pki } from './pki.ts';

/** The programs of a control plane, each startable and killable alone, always on the same ports and data. */
export interface ControlPlaneProcesses {
  pid(name: ComponentName): number;
  /** SIGKILL; returns when they are gone. */
  kill(names: readonly ComponentName[]): Promise<void>;
  /** Starts them in their order, each ready before the next. Kills what it started when one fails. */
  start(names: readonly ComponentName[]): Promise<void>;
}

export function controlPlaneProcesses(
  settings: ControlPlaneSettings,
  pki: Pki,
  tools: Readonly<Record<ComponentName, string>>,
): ControlPlaneProcesses {
  const running = new Map<ComponentName, Running>();
  const argumentsOf = {
    etcd: etcdArguments,
    'kube-apiserver': apiServerArguments,
    'kube-controller-manager': controllerManagerArguments,
  };
  const readyOf = {
    etcd: (program: Running) => etcdReady(program, settings.ports),
    'kube-apiserver': (program: Running) => apiServerReady(program, settings.ports, pki),
    'kube-controller-manager': (program: Running) => controllerManagerReady(program, settings.ports, pki),
  };
  const start = async (name: ComponentName): Promise<void> => {
    const logFolder = join(settings.folder, 'log');
    const args = argumentsOf[name](settings);
    const program = await startProgram({ name, command: tools[name], args, logFolder, outlives: false });
    running.set(name, program);
    await readyOf[name](program);
  };
  const kill = async (names: readonly ComponentName[]): Promise<void> => {
    const chosen = names.flatMap((name) => running.get(name) ?? []);
    for (const program of chosen) program.signal('SIGKILL');
    await Promise.all(chosen.map((program) => program.ended));
  };
  return {
    pid: (name) => (running.get(name) as Running).pid,
    kill,
    start: async (names) => {
      const ordered = COMPONENTS.filter((name) => names.includes(name));
      try {
        for (const name of ordered) await start(name);
      } catch (error) {
        await kill(ordered);
        throw error;
      }
    },
  };
}
