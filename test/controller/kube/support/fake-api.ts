import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { KubeObject } from '#controller/kube/kube.js';

/** A ConfigMap of the fake API server. */
export interface FakeObject extends KubeObject {
  metadata: KubeObject['metadata'] & { uid: string; resourceVersion: string; managedFields?: unknown };
  data: Record<string, string>;
}

/**
 * One thing to do wrong with the next request of its sort: answer with a status (`bare`: without a Status object), never answer (hang), answer
 * only when released (hold), break the connection amid the answer (reset), end it there (cut), accept a watch and say nothing (silent), say that the
 * version is gone (gone), say what is not an event (nonsense), or say everything twice and old things again (twice).
 */
export interface Fault {
  on: 'read' | 'watch' | 'write';
  status?: number;
  retryAfter?: number;
  bare?: boolean;
  do?: 'hang' | 'hold' | 'reset' | 'cut' | 'silent' | 'gone' | 'nonsense' | 'twice';
}

/** One request as the fake saw it. */
export interface SeenRequest {
  kind: Fault['on'];
  method: string;
  path: string;
  query: Record<string, string>;
  authorization: string | undefined;
}

export type Command =
  | { do: 'put'; name: string; data: Record<string, string>; quietly: boolean }
  | { do: 'remove'; name: string; quietly: boolean }
  | { do: 'fault'; fault: Fault }
  | { do: 'bookmark' | 'end' | 'forget' | 'forgive' | 'release' | 'look' };

/** A fake API server in a process of its own, which holds ConfigMaps of the namespace `default`. */
export interface FakeApi {
  readonly url: string;
  /** Kubeconfig that leads there; its token is read from `tokenFile`. */
  readonly kubeconfig: string;
  readonly tokenFile: string;
  readonly child: ChildProcess;
  /** Writes an object; `quietly` without telling the watches. */
  put(name: string, data?: Record<string, string>, quietly?: boolean): Promise<void>;
  remove(name: string, quietly?: boolean): Promise<void>;
  fault(fault: Fault): Promise<void>;
  /** Drops the faults that have not happened. */
  forgive(): Promise<void>;
  /** Drops the history: watches from versions before now get 410. */
  forget(): Promise<void>;
  /** Sends a bookmark to the open watches. */
  bookmark(): Promise<void>;
  /** Ends the open watches. */
  end(): Promise<void>;
  /** Answers the lists that are held. */
  release(): Promise<void>;
  look(): Promise<{ seen: SeenRequest[]; watchers: number; faults: number; held: number }>;
}

const running = new Map<ChildProcess, string>();
afterAll(async () => {
  for (const [child, folder] of running) {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

/** Starts the process; it ends with the test file. */
export async function startFakeApi(): Promise<FakeApi> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-fake-api-'));
  const child = fork(join(import.meta.dirname, 'fake-api-process.ts'), { execArgv: [] });
  running.set(child, folder);
  const pending = new Map<number, (result: unknown) => void>();
  let last = 0;
  const started = new Promise<unknown>((resolve) => pending.set(0, resolve));
  child.on('message', ({ id, result }: { id: number; result: unknown }) => {
    pending.get(id)?.(result);
    pending.delete(id);
  });
  const send = <T>(command: Command): Promise<T> => {
    last += 1;
    const id = last;
    const result = new Promise<unknown>((resolve) => pending.set(id, resolve));
    child.send({ id, command });
    return result as Promise<T>;
  };
  const url = `http://127.0.0.1:${await started}`;
  const tokenFile = join(folder, 'token');
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(tokenFile, 'first');
  const config = {
    clusters: [{ name: 'fake', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'fake', user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } } }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake', namespace: 'home' } }],
    'current-context': 'fake',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    url,
    kubeconfig,
    tokenFile,
    child,
    put: (name, data = {}, quietly = false) => send({ do: 'put', name, data, quietly }),
    remove: (name, quietly = false) => send({ do: 'remove', name, quietly }),
    fault: (fault) => send({ do: 'fault', fault }),
    forgive: () => send({ do: 'forgive' }),
    forget: () => send({ do: 'forget' }),
    bookmark: () => send({ do: 'bookmark' }),
    end: () => send({ do: 'end' }),
    release: () => send({ do: 'release' }),
    look: () => send({ do: 'look' }),
  };
}
