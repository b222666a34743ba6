import { KubeConflict, KubeError, mayPass } from '../kube/client/errors.js';
import { applyTrustStep, CopyRemains, TrustOfAnother } from './apply.js';
import type { TrustObservation, TrustStep } from './decide/step.js';
import { mapEach } from './each.js';
import type { GatheredTrust } from './gather.js';

/** Namespaces that are written at once: one whose webhooks are slow delays few others. */
const IN_FLIGHT = 16;

/** Writes a bundle into another namespace than the release's. */
export type CopyStep = Extract<TrustStep, { do: 'publish' }>;

/** What came of the copies of one look. */
export interface CopiesResult {
  readonly written: readonly CopyStep[];
  /** One for each copy that cannot be written now. */
  readonly refused: readonly TrustObservation[];
  /** Whether another client changed a copy meanwhile: read it again. */
  readonly hasConflict: boolean;
  /** Whether a refusal may end on its own at any time. */
  readonly retrySoon: boolean;
}

/**
 * Writes the copies of other namespaces, each on its own: tenants can make any of them fail, by an immutable object, a quota or a webhook.
 * A conflict is one more refusal in the last look.
 */
export async function writeCopies(
  steps: readonly CopyStep[],
  gathered: GatheredTrust,
  deps: Parameters<typeof applyTrustStep>[2],
  isLast: boolean,
): Promise<CopiesResult> {
  const written: CopyStep[] = [];
  const refused: TrustObservation[] = [];
  let hasConflict = false;
  let retrySoon = false;
  await mapEach(steps, IN_FLIGHT, async (step) => {
    try {
      await applyTrustStep(step, gathered, deps);
      written.push(step);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error instanceof KubeConflict && !isLast) {
        hasConflict = true;
        return;
      }
      refused.push(unwritable(step, error));
      if (mayPass(error)) retrySoon = true;
    }
  });
  return { written, refused, hasConflict, retrySoon };
}

function isRefusal(error: unknown): error is KubeError | TrustOfAnother | CopyRemains {
  return error instanceof KubeError || error instanceof TrustOfAnother || error instanceof CopyRemains;
}

function unwritable({ namespace, object }: CopyStep, { message }: Error): TrustObservation {
  const text = `namespace ${namespace} cannot have the trust bundle: ${message}`;
  return { object, type: 'Stalled', reason: 'CopyRefused', message: text };
}
