import { randomUUID } from 'node:crypto';
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

/** How often either side looks, in ms. */
const LOOK_MS = 60;

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
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  while (!signal.aborted) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.request.json'));
    for (const name of names) {
      const file = join(folder, name);
      const request = await readJson<ApplyRequest | ReplicaRequest>(file);
      await rm(file, { force: true });
      if (!request) continue;
      await writePrivate(join(folder, name.replace('.request.', '.answer.')), JSON.stringify(await answer(request)));
    }
    await pause(LOOK_MS, undefined, { ref: false });
  }
}
