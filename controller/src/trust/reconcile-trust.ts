import type { Clock } from '@aip/runtime/internal/protocol';
import { ANNOTATIONS, LABELS } from '../api/group.js';
import { KINDS } from '../api/kinds.js';
import { KubeConflict } from '../kube/client/errors.js';
import type { Kube } from '../kube/kube.js';
import { applyTrustStep } from './apply.js';
import { ensureCertificates } from './cert-manager.js';
import { type CopyStep, writeCopies } from './copies.js';
import { decideTrust } from './decide/decide.js';
import type { TrustInputs } from './decide/inputs.js';
import type { TrustObservation, TrustStep } from './decide/step.js';
import { gatherTrust } from './gather.js';
import { releaseId, trustNames } from './names.js';
import { type ConfigMapObject, MANAGER } from './objects.js';
import type { OperatorStep } from './operators/operators.js';
import { type RefusedTokens, reconcileOperators } from './operators/reconcile.js';
import { failedOperators, refusedTokens } from './operators/refusal.js';
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

/** What trust is reconciled with. */
export interface TrustDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  /** Called when nothing is left to do for authority, keys and bundle of the release, before the copies of other namespaces are written. */
  readonly releaseDone?: (() => void) | undefined;
}

/** What was done and how things stand. */
export interface TrustResult {
  readonly steps: readonly (TrustStep | OperatorStep)[];
  readonly observations: readonly TrustObservation[];
  /** When to look again at the latest, in ms since the epoch (0: at once); undefined: when something changes. */
  readonly wakeAt: number | undefined;
  /** Id (`fleet.aip.dev/issuer`) of the authority that signs now; undefined when there is none that can. */
  readonly issuer: string | undefined;
  /** Whether a write outside the release's authority and keys failed in a way that may end at any time. */
  readonly retrySoon: boolean;
}

/**
 * Brings the fleet's trust to what is wanted: looks, decides, does, until nothing is left to do. May run in several processes at once and be
 * ended at any point. Throws what the API server refuses of authority, keys and the release's own bundle, KubeConflict only when others keep
 * changing the same objects; another namespace that cannot be written is an observation and stops nothing else, as are operators.
 */
export async function reconcileTrust(
  deps: TrustDeps,
  settings: TrustSettings,
  wanted: TrustWanted,
): Promise<TrustResult> {
  const { kube } = deps;
  const idle = wanted.quick ? await idleTrust(deps, settings, wanted) : undefined;
  if (idle) return idle;
  const { certManagerIssuer } = settings;
  if (certManagerIssuer) await ensureCertificates(kube, settings, certManagerIssuer);
  const trust = await settle((done, isLast) => trustLook(deps, settings, wanted, { done, isLast }));
  const operators = await operatorsOf(kube, settings, wanted);
  return {
    steps: [...trust.steps, ...operators.steps],
    observations: [...trust.observations, ...operators.observations],
    wakeAt: trust.wakeAt,
    issuer: trust.issuer,
    retrySoon: trust.retrySoon || operators.retrySoon,
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
  return isIdle ? { steps, observations, wakeAt, issuer: issuerIn(inputs), retrySoon: false } : undefined;
}

/** What one look left to do. */
interface Look extends TrustResult {
  /** Whether nothing was left to do. */
  readonly settled: boolean;
}

/** Looks until nothing is left; a conflict is a look that saw something old. */
async function settle(
  look: (done: (TrustStep | OperatorStep)[], isLast: boolean) => Promise<Look>,
): Promise<TrustResult> {
  const done: (TrustStep | OperatorStep)[] = [];
  for (let n = 1; ; n += 1) {
    const isLast = n >= MAX_LOOKS;
    try {
      const { settled, wakeAt, ...result } = await look(done, isLast);
      if (settled || isLast) return { ...result, steps: done, wakeAt: settled ? wakeAt : 0 };
    } catch (error) {
      if (!(error instanceof KubeConflict) || isLast) throw error;
    }
  }
}

async function trustLook(
  deps: TrustDeps,
  settings: TrustSettings,
  wanted: TrustWanted,
  { done, isLast }: { done: (TrustStep | OperatorStep)[]; isLast: boolean },
): Promise<Look> {
  const gathered = await gatherTrust(deps, settings, wanted);
  const { steps, observations, wakeAt } = decideTrust(gathered.inputs);
  const to = { kube: deps.kube, settings };
  const isCopy = (step: TrustStep): step is CopyStep => step.do === 'publish' && step.namespace !== settings.namespace;
  const own: readonly TrustStep[] = steps.filter((step) => !isCopy(step));
  for (const step of own) {
    await applyTrustStep(step, gathered, to);
    done.push(step);
  }
  if (own.every((step) => step.do === 'publish')) deps.releaseDone?.();
  const copies = await writeCopies(steps.filter(isCopy), gathered, to, isLast);
  done.push(...copies.written);
  return {
    steps: done,
    settled: own.length + copies.written.length === 0 && !copies.hasConflict,
    observations: [...observations, ...copies.refused],
    wakeAt,
    issuer: issuerIn(gathered.inputs),
    retrySoon: copies.retrySoon,
  };
}

/** What became of the operators: a failure there is reported, and stops nothing of the trust between programs. */
async function operatorsOf(
  kube: Kube,
  settings: TrustSettings,
  wanted: TrustWanted,
): Promise<Pick<TrustResult, 'steps' | 'observations' | 'retrySoon'>> {
  const refused: RefusedTokens = new Map();
  try {
    const result = await settle((done) => operatorLook(kube, settings, wanted, { done, refused }));
    return { ...result, observations: [...result.observations, ...refusedTokens(settings.release, refused)] };
  } catch (error) {
    const { observations, retrySoon } = failedOperators(settings.release, error);
    return { steps: [], observations: [...observations, ...refusedTokens(settings.release, refused)], retrySoon };
  }
}

async function operatorLook(
  kube: Kube,
  settings: TrustSettings,
  { tenants, removeGoneOperators = false }: TrustWanted,
  { done, refused }: { done: (TrustStep | OperatorStep)[]; refused: RefusedTokens },
): Promise<Look> {
  const known = refused.size;
  const operators = { tenants, removeGone: removeGoneOperators };
  const { steps, observations } = await reconcileOperators(kube, settings, operators, refused);
  done.push(...steps);
  const settled = steps.length === 0 && refused.size === known;
  return { steps: done, settled, observations, wakeAt: undefined, issuer: undefined, retrySoon: false };
}

function issuerIn({ ca }: TrustInputs): string | undefined {
  return ca.state === 'read' ? ca.value.active?.id : undefined;
}
