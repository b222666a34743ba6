import type { Clock } from '@aip/runtime/internal/protocol';
import { ANNOTATIONS, LABELS } from '../api/group.js';
import { KINDS } from '../api/kinds.js';
import { KubeConflict, KubeForbidden, KubeNotFound } from '../kube/client/errors.js';
import type { Kube } from '../kube/kube.js';
import { applyTrustStep, TrustOfAnother } from './apply.js';
import { ensureCertificates } from './cert-manager.js';
import { decideTrust } from './decide/decide.js';
import type { TrustInputs } from './decide/inputs.js';
import type { TrustObservation, TrustStep } from './decide/step.js';
import { gatherTrust } from './gather.js';
import { releaseId, trustNames } from './names.js';
import { type ConfigMapObject, MANAGER } from './objects.js';
import type { OperatorStep } from './operators/operators.js';
import { reconcileOperators } from './operators/reconcile.js';
import type { TrustSettings } from './settings.js';

/** A first start takes three looks, a phase of a rotation as many; the rest is for others who change the same. */
const MAX_LOOKS = 12;

/** What the fleet wants of its trust now. */
export interface TrustWanted {
  /** Namespaces besides the release's that have `aip-trust`. */
  readonly namespaces: readonly string[];
  /** Tenants that have an operator. */
  readonly tenants: readonly string[];
  /** Whether operators of other tenants go; they stay unless asked. */
  readonly removeGoneOperators?: boolean | undefined;
  /** Ids (`fleet.aip.dev/issuer`) of the authorities that signed the leaves of all replicas there are. */
  readonly replicaIssuers: readonly string[];
  /**
   * Only asks whether something is due in the release namespace: four reads (six with cert-manager), however many namespaces and tenants
   * there are. Changes to copies and operators are not seen then. When something is due or under way, all is checked as ever.
   */
  readonly quick?: boolean | undefined;
}

/** What was done and how things stand. */
export interface TrustResult {
  readonly steps: readonly (TrustStep | OperatorStep)[];
  readonly observations: readonly TrustObservation[];
  /** When to look again at the latest, in ms since the epoch (0: at once); undefined: when something changes. */
  readonly wakeAt: number | undefined;
  /** Id (`fleet.aip.dev/issuer`) of the authority that signs now; undefined when there is none that can. */
  readonly issuer: string | undefined;
}

/**
 * Brings the fleet's trust to what is wanted: looks, decides, does, until nothing is left to do. May run in several processes at once and be
 * ended at any point. Throws what the API server refuses, KubeConflict only when others keep changing the same objects; a namespace that
 * cannot be written is an observation and stops nothing else.
 */
export async function reconcileTrust(
  deps: { kube: Kube; clock: Clock },
  settings: TrustSettings,
  wanted: TrustWanted,
): Promise<TrustResult> {
  const { kube } = deps;
  const idle = wanted.quick ? await idleTrust(deps, settings, wanted) : undefined;
  if (idle) return idle;
  const { certManagerIssuer } = settings;
  if (certManagerIssuer) await ensureCertificates(kube, settings, certManagerIssuer);
  const trust = await settle((done) => trustLook(deps, settings, wanted, done));
  const operators = await settle((done) => operatorLook(kube, settings, wanted, done));
  return {
    steps: [...trust.steps, ...operators.steps],
    observations: [...trust.observations, ...operators.observations],
    wakeAt: trust.wakeAt,
    issuer: trust.issuer,
  };
}

/** Deletes a namespace's copy of what is trusted, unless it belongs to others. */
export async function removeCopy(kube: Kube, settings: TrustSettings, namespace: string): Promise<void> {
  const ref = { namespace, name: trustNames(settings.release).trust };
  const found = await kube.get<ConfigMapObject>(KINDS.configMap, ref);
  const { labels = {}, annotations = {} } = found?.metadata ?? {};
  if (!found || labels[LABELS.managedBy] !== MANAGER || annotations[ANNOTATIONS.release] !== releaseId(settings))
    return;
  await kube.delete(KINDS.configMap, ref, { uid: found.metadata.uid });
}

/** How things stand when the release namespace alone says that nothing is to do. */
async function idleTrust(
  deps: { kube: Kube; clock: Clock },
  settings: TrustSettings,
  wanted: TrustWanted,
): Promise<TrustResult | undefined> {
  const { inputs } = await gatherTrust(deps, settings, { ...wanted, namespaces: [] });
  const { steps, observations, wakeAt } = decideTrust(inputs);
  const isIdle = steps.length === 0 && observations.every(({ type }) => type === 'Ready');
  return isIdle ? { steps, observations, wakeAt, issuer: issuerIn(inputs) } : undefined;
}

/** What one look left to do. */
interface Look extends TrustResult {
  /** Whether nothing was left to do. */
  readonly settled: boolean;
}

/** Looks until nothing is left; a conflict is a look that saw something old. */
async function settle(look: (done: (TrustStep | OperatorStep)[]) => Promise<Look>): Promise<TrustResult> {
  const done: (TrustStep | OperatorStep)[] = [];
  for (let n = 1; ; n += 1) {
    try {
      const { settled, observations, wakeAt, issuer } = await look(done);
      if (settled || n >= MAX_LOOKS) return { steps: done, observations, wakeAt: settled ? wakeAt : 0, issuer };
    } catch (error) {
      if (!(error instanceof KubeConflict) || n >= MAX_LOOKS) throw error;
    }
  }
}

async function trustLook(
  deps: { kube: Kube; clock: Clock },
  settings: TrustSettings,
  wanted: TrustWanted,
  done: (TrustStep | OperatorStep)[],
): Promise<Look> {
  const gathered = await gatherTrust(deps, settings, wanted);
  const { steps, observations, wakeAt } = decideTrust(gathered.inputs);
  const refused: TrustObservation[] = [];
  for (const step of steps) {
    try {
      await applyTrustStep(step, gathered, { kube: deps.kube, settings });
      done.push(step);
    } catch (error) {
      const isCopy = step.do === 'publish' && step.namespace !== settings.namespace;
      if (!isCopy || !isRefusal(error)) throw error;
      refused.push(unwritable(step.namespace, step.object, error));
    }
  }
  return {
    steps: done,
    settled: steps.length === refused.length,
    observations: [...observations, ...refused],
    wakeAt,
    issuer: issuerIn(gathered.inputs),
  };
}

async function operatorLook(
  kube: Kube,
  settings: TrustSettings,
  { tenants, removeGoneOperators = false }: TrustWanted,
  done: (TrustStep | OperatorStep)[],
): Promise<Look> {
  const { steps, observations } = await reconcileOperators(kube, settings, {
    tenants,
    removeGone: removeGoneOperators,
  });
  done.push(...steps);
  return { steps: done, settled: steps.length === 0, observations, wakeAt: undefined, issuer: undefined };
}

function issuerIn({ ca }: TrustInputs): string | undefined {
  return ca.state === 'read' ? ca.value.active?.id : undefined;
}

/** The namespace is going or gone, or the controller has no rights there. */
function isRefusal(error: unknown): error is KubeForbidden | KubeNotFound | TrustOfAnother {
  return error instanceof KubeForbidden || error instanceof KubeNotFound || error instanceof TrustOfAnother;
}

function unwritable(namespace: string, object: string, { message }: Error): TrustObservation {
  const text = `namespace ${namespace} cannot have the trust bundle: ${message}`;
  return { object, type: 'Stalled', reason: 'CopyRefused', message: text };
}
