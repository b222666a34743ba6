import { randomUUID } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResourceProblem } from '@aip/controller/internal/api';
import { readJson, writePrivate } from '@aip/controller/internal/data-folder';
import type { ApplyOutcome } from '@aip/controller/internal/dev';
import type { ResourceFile } from '@aip/controller/internal/resources';

/** What `aip dev apply` leaves for the running `aip dev`, in a folder that only the owner may enter. */
export interface ApplyRequest {
  files: ResourceFile[];
  prune: boolean;
  timeoutMs: number;
}

/** What `aip fleet drain | resume` leaves there. */
export interface ReplicaRequest {
  /** `namespace/name`. */
  replica: string;
  drained: boolean;
  timeoutMs: number;
}

/** What it finds there afterwards. */
export type ApplyAnswer =
  | { outcome: ApplyOutcome }
  | { changed: string }
  | { problems: ResourceProblem[] }
  | { error: string };

/** How often the side that asked checks for its answer, in ms. */
const LOOK_MS = 60;
/** How often the folder is read although no change was reported, in ms: a watch may be lost, or never have begun. */
const REREAD_MS = 2000;

/** Leaves a request and waits for its answer; undefined when none came in time. */
export async function ask(folder: string, request: ApplyRequest | ReplicaRequest): Promise<ApplyAnswer | undefined> {
  const id = randomUUID();
  const answerFile = join(folder, `${id}.answer.json`);
  await writePrivate(join(folder, `${id}.request.json`), JSON.stringify(request));
  const deadline = Date.now() + request.timeoutMs + 5000;
  while (Date.now() < deadline) {
    const answer = await readJson<ApplyAnswer>(answerFile);
    if (answer) {
      await rm(answerFile, { force: true });
      return answer;
    }
    await pause(LOOK_MS);
  }
  return undefined;
}

/** Answers requests one after the other until `signal`; what an earlier run left is thrown away. */
export async function serveRequests(
  folder: string,
  answer: (request: ApplyRequest | ReplicaRequest) => Promise<ApplyAnswer>,
  signal: AbortSignal,
  rereadMs = REREAD_MS,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const changes = changesOf(folder);
  signal.addEventListener('abort', changes.close, { once: true });
  while (!signal.aborted) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.request.json'));
    for (const name of names) {
      const file = join(folder, name);
      const request = await readJson<ApplyRequest | ReplicaRequest>(file);
      await rm(file, { force: true });
      if (!request) continue;
      await writePrivate(join(folder, name.replace('.request.', '.answer.')), JSON.stringify(await answer(request)));
    }
    await changes.next(rereadMs);
  }
  changes.close();
}

/** Changes in a folder. Neither they nor the wait for them keeps the process alive. */
interface Changes {
  /** Resolves with the first change since the last call, after `ms` in any case, and when closed. */
  next(ms: number): Promise<void>;
  close(): void;
}

function changesOf(folder: string): Changes {
  let changed = false;
  let wake = (): void => undefined;
  const notice = (): void => {
    changed = true;
    wake();
  };
  const watcher = watched(folder, notice);
  return {
    next: async (ms) => {
      if (!changed)
        await new Promise<void>((done) => {
          const timer = setTimeout(done, ms).unref();
          wake = () => {
            clearTimeout(timer);
            done();
          };
        });
      changed = false;
    },
    close: () => {
      watcher?.close();
      notice();
    },
  };
}

/** A watch of the folder; undefined where the system has none to give. */
function watched(folder: string, notice: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, notice);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
