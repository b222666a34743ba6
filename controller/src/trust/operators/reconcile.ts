import { KINDS } from '../../api/kinds.js';
import { newToken, type PrincipalEntry } from '../../fleet/principals.js';
import type { Kube } from '../../kube/kube.js';
import { mapEach } from '../each.js';
import type { Stored } from '../material.js';
import { DATA, TRUST_ANNOTATIONS, trustNames } from '../names.js';
import { changedSecret, newSecret, type SecretObject, secretText } from '../objects.js';
import type { TrustSettings } from '../settings.js';
import { decideOperators, type OperatorDecision, type OperatorStep, readPrincipalEntries } from './operators.js';

/** Requests to the API server at once. */
const IN_FLIGHT = 16;

/** One check of the operators, and the steps that it led to. KubeConflict when another client changed the same: read it again. */
export async function reconcileOperators(
  kube: Kube,
  settings: Pick<TrustSettings, 'namespace' | 'release'>,
  wanted: { tenants: readonly string[]; removeGone: boolean },
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

  const decision = decideOperators({ names, ...wanted, principals: entriesIn(principals), tokens });
  for (const step of decision.steps) await apply(step);
  return decision;

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
