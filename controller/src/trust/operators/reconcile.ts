import { KINDS } from '../../api/kinds.js';
import { newToken, type PrincipalEntry } from '../../fleet/principals.js';
import { KubeError, mayPass } from '../../kube/client/errors.js';
import type { Kube } from '../../kube/kube.js';
import { mapEach } from '../each.js';
import type { Stored } from '../material.js';
import { DATA, TRUST_ANNOTATIONS, trustNames } from '../names.js';
import { changedSecret, newSecret, type SecretObject, secretText } from '../objects.js';
import type { TrustSettings } from '../settings.js';
import { decideOperators, type OperatorDecision, type OperatorStep, readPrincipalEntries } from './operators.js';

/** Requests to the API server at once. */
const IN_FLIGHT = 16;

/** Tenants whose tokens the API server refused, with the reason; kept over the checks of one reconcile. */
export type RefusedTokens = Map<string, KubeError>;

/**
 * One check of the operators, and the steps that it led to, as far as they were done. A token that is refused becomes part of `refused` and
 * stops no other. Throws what else is refused; KubeConflict when another client changed the same: read it again.
 */
export async function reconcileOperators(
  kube: Kube,
  settings: Pick<TrustSettings, 'namespace' | 'release'>,
  wanted: { tenants: readonly string[]; removeGone: boolean },
  refused: RefusedTokens,
): Promise<OperatorDecision> {
  const { namespace, release } = settings;
  const names = trustNames(release);
  const read = (name: string): Promise<SecretObject | undefined> =>
    kube.get<SecretObject>(KINDS.secret, { namespace, name });

  const principals = await read(names.principals);
  const tokens = new Map<string, Stored<string>>();
  await mapEach([...new Set(wanted.tenants)], IN_FLIGHT, async (tenant) => {
    tokens.set(tenant, tokenIn(await read(names.operator(tenant))));
  });

  const inputs = { names, ...wanted, refused: new Set(refused.keys()), principals: entriesIn(principals), tokens };
  const { steps, observations } = decideOperators(inputs);
  const done: OperatorStep[] = [];
  for (const step of steps) {
    try {
      await apply(step);
      done.push(step);
    } catch (error) {
      if (step.do !== 'create-token' || !isRefusal(error)) throw error;
      refused.set(step.tenant, error);
    }
  }
  return { steps: done, observations };

  async function apply(step: OperatorStep): Promise<void> {
    switch (step.do) {
      case 'create-token': {
        const annotations = { [TRUST_ANNOTATIONS.tenant]: step.tenant };
        const secret = newSecret({ name: step.object, namespace, annotations }, { [DATA.token]: newToken() });
        await kube.create(KINDS.secret, secret);
        return;
      }
      case 'write-principals': {
        const texts = { [DATA.principals]: JSON.stringify(step.entries) };
        if (principals) await kube.replace(KINDS.secret, changedSecret(principals, texts));
        else await kube.create(KINDS.secret, newSecret({ name: step.object, namespace }, texts));
        return;
      }
      case 'remove-token': {
        const found = await read(step.object);
        if (found?.metadata.annotations?.[TRUST_ANNOTATIONS.tenant] !== step.tenant) return;
        await kube.delete(KINDS.secret, { namespace, name: step.object }, { uid: found.metadata.uid });
      }
    }
  }
}

/** Whether the same request would be refused again, where others may not be. */
function isRefusal(error: unknown): error is KubeError {
  return error instanceof KubeError && !mayPass(error);
}

function tokenIn(secret: SecretObject | undefined): Stored<string> {
  if (secret === undefined) return { state: 'absent' };
  const token = secretText(secret, DATA.token);
  return token === undefined
    ? { state: 'broken', message: `${DATA.token} is missing` }
    : { state: 'read', value: token };
}

function entriesIn(secret: SecretObject | undefined): Stored<PrincipalEntry[]> {
  return secret === undefined ? { state: 'absent' } : readPrincipalEntries(secretText(secret, DATA.principals));
}
