import { resolve } from 'node:path';
import { ResourcesInvalid } from '@aip/controller/internal/api';
import type { ApplyOutcome } from '@aip/controller/internal/dev';
import { shownName } from '@aip/controller/internal/names';
import { loadResources, readResourceFiles } from '@aip/controller/internal/resources';
import { CliError } from '../client/errors.js';
import { ask } from '../fleet/dev-requests.js';
import { devPaths, runningDev } from '../fleet/running-dev.js';
import { paint } from '../ui/paint.js';
import { asTyped } from '../ui/self.js';

/** Hands files to the running `aip dev` and waits. Throws ResourcesInvalid, CliError. */
export async function applyToDev(
  request: { files: readonly string[]; prune: boolean; timeoutMs: number; data?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<ApplyOutcome> {
  const paths = devPaths(request.data, env);
  const files = await readResourceFiles(request.files);
  if (!(await runningDev(paths))) throw new CliError('cli.dev_not_running', `No \`aip dev\` runs on ${paths.root}.`);
  const absolute = files.map(({ name, text }) => ({ name: resolve(name), text }));
  if (request.prune) loadResources(files);
  const answer = await ask(paths.requests, { files: absolute, prune: request.prune, timeoutMs: request.timeoutMs });
  if (!answer) throw new CliError('cli.dev_not_running', `The \`aip dev\` on ${paths.root} did not answer in time.`);
  if ('problems' in answer) throw new ResourcesInvalid(answer.problems);
  if ('error' in answer) throw new CliError('cli.apply_failed', answer.error);
  if (!('outcome' in answer)) throw new CliError('cli.apply_failed', 'The answer is not one to an apply.');
  return answer.outcome;
}

/** What was done and how the instances stand, for people. */
export function appliedLines(outcome: ApplyOutcome): string[] {
  return [
    ...outcome.steps.map(
      ({ instance, reason, message }) => `${paint.dim(reason.padEnd(16))} ${shownName(instance)}: ${message}`,
    ),
    ...Object.entries(outcome.conditions).map(([instance, conditions]) => {
      const ready = conditions.find(({ type }) => type === 'Ready');
      const mark = ready?.status === 'True' ? paint.good('✓') : paint.warn('…');
      return `${mark} ${shownName(instance)}: ${ready?.message ?? ''}`;
    }),
    ...(outcome.settled
      ? []
      : [paint.warn(asTyped('It has not settled yet; `aip fleet status` shows how far it is.'))]),
  ];
}
