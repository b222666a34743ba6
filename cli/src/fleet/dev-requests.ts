import { randomUUID } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResourceProblem } from '@aip/controller/internal/api';
import { readJson, writePrivate } from '@aip/controller/internal/data-folder';
import type { ApplyOutcome } from '@aip/controller/internal/dev';
import type { ResourceFile } from '@aip/controller/internal/resources';
import { openWaker, pollLoop, pollUntil } from '@aip/runtime/internal/time';

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
const ANSWER_POLL_MS = 60;
/** How often the folder is read although no change was reported, in ms: a watch may be lost; and where there is none. */
const REREAD_MS = 15_000;
const UNWATCHED_MS = 2000;

/** Leaves a request and waits for its answer; undefined when none came in time. */
export async function ask(folder: string, request: ApplyRequest | ReplicaRequest): Promise<ApplyAnswer | undefined> {
  const id = randomUUID();
  const answerFile = join(folder, `${id}.answer.json`);
  await writePrivate(join(folder, `${id}.request.json`), JSON.stringify(request));
  const answer = await pollUntil(() => readJson<ApplyAnswer>(answerFile), {
    longestMs: request.timeoutMs + 5000,
    everyMs: () => ANSWER_POLL_MS,
  });
  if (answer) await rm(answerFile, { force: true });
  return answer;
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
  // Neither the watch nor the pauses keep the process alive.
  const waker = openWaker({ ref: false });
  const watch = watchFolder(folder, waker.wake);
  const answerAll = async (): Promise<void> => {
    const found = await readdir(folder).catch(() => {
      // Who makes the folder again makes one that is not watched.
      watch.close();
      return [];
    });
    const names = found.filter((name) => name.endsWith('.request.json'));
    for (const name of names) {
      const file = join(folder, name);
      const request = await readJson<ApplyRequest | ReplicaRequest>(file);
      await rm(file, { force: true });
      if (!request) continue;
      await writePrivate(join(folder, name.replace('.request.', '.answer.')), JSON.stringify(await answer(request)));
    }
  };
  try {
    await pollLoop(answerAll, {
      signal,
      everyMs: () => (watch.lost() ? Math.min(rereadMs, UNWATCHED_MS) : rereadMs),
      pause: waker.pause,
    });
  } finally {
    watch.close();
  }
}

/** A watch of the folder; it may be lost, and where the system has none to give it is from the start. */
function watchFolder(folder: string, changed: () => void): { lost(): boolean; close(): void } {
  let watcher: FSWatcher | undefined;
  const close = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  try {
    watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', close);
  } catch {
    // Reading the folder again and again takes its place.
  }
  return { lost: () => watcher === undefined, close };
}
