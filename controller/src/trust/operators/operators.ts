import { isDeepStrictEqual } from 'node:util';
import { OPERATOR_SCOPES, type PrincipalEntry, tokenDigest } from '../../fleet/principals.js';
import type { TrustObservation } from '../decide/step.js';
import type { Stored } from '../material.js';
import type { TrustNames } from '../names.js';

/** What the decisions about operators rest on. */
export interface OperatorInputs {
  readonly names: TrustNames;
  readonly tenants: readonly string[];
  /** Whether the operators of other tenants go. */
  readonly removeGone: boolean;
  readonly principals: Stored<readonly PrincipalEntry[]>;
  /** Tenants whose tokens could not be written just now: the others do not wait for them. */
  readonly refused: ReadonlySet<string>;
  /** Each tenant's token. */
  readonly tokens: ReadonlyMap<string, Stored<string>>;
}

/** What has to be done, in order. */
export type OperatorStep = { readonly reason: string; readonly message: string; readonly object: string } & (
  | { do: 'create-token'; tenant: string }
  | { do: 'write-principals'; entries: readonly PrincipalEntry[] }
  | { do: 'remove-token'; tenant: string }
);

/** Steps, and what only a person can fix. */
export interface OperatorDecision {
  readonly steps: readonly OperatorStep[];
  readonly observations: readonly TrustObservation[];
}

/**
 * One operator with a token of its own for each tenant. Entries whose principal is `human:operator:<their tenant>` are the controller's;
 * all others are kept as they are, in their order. A token whose Secret was deleted is followed by a new one and stops to work.
 */
export function decideOperators(inputs: OperatorInputs): OperatorDecision {
  const { names, principals, tokens, refused } = inputs;
  if (principals.state === 'broken') {
    const message = `${principals.message}: put the Secret back from a backup, or delete it to have it made again without the entries that others added`;
    return { steps: [], observations: [stalled(names.principals, 'PrincipalsInvalid', message)] };
  }
  const tenants = [...new Set(inputs.tenants)];
  const missing = tenants.filter((tenant) => tokens.get(tenant)?.state === 'absent' && !refused.has(tenant));
  const observations = tenants.flatMap((tenant) => {
    const token = tokens.get(tenant);
    if (token?.state !== 'broken') return [];
    const message = `${token.message}: delete the Secret to have a new token made for the operator of tenant ${tenant}`;
    return [stalled(names.operator(tenant), 'TokenInvalid', message)];
  });
  if (missing.length > 0) {
    const steps = missing.map((tenant): OperatorStep => {
      const message = `the operator of tenant ${tenant} gets a token`;
      return { do: 'create-token', tenant, object: names.operator(tenant), reason: 'TokenMissing', message };
    });
    return { steps, observations };
  }
  const before = principals.state === 'read' ? principals.value : [];
  const gone = inputs.removeGone ? before.flatMap((entry) => goneTenant(entry, tenants)) : [];
  const entries = entriesAfter(before, inputs, tenants, gone);
  const steps: OperatorStep[] = [];
  // Tokens are removed before the entries that name them: after an interruption both are found again.
  for (const tenant of new Set(gone)) {
    const message = `Removing the operator of tenant ${tenant}: the tenant has no instances`;
    steps.push({ do: 'remove-token', tenant, object: names.operator(tenant), reason: 'TenantGone', message });
  }
  if (principals.state === 'absent' || !isDeepStrictEqual(entries, before)) {
    const message = 'Updating the operators';
    const object = names.principals;
    steps.push({ do: 'write-principals', entries, object, reason: 'OperatorsChanged', message });
  }
  return { steps, observations };
}

/** The principals of a file's text. */
export function readPrincipalEntries(text: string | undefined): Stored<PrincipalEntry[]> {
  if (text === undefined) return { state: 'broken', message: 'principals.json is missing' };
  try {
    const entries: unknown = JSON.parse(text);
    if (Array.isArray(entries) && entries.every(isEntry)) return { state: 'read', value: entries };
    return { state: 'broken', message: 'principals.json is not an array of principals' };
  } catch {
    return { state: 'broken', message: 'principals.json is not valid JSON' };
  }
}

function isEntry(value: unknown): value is PrincipalEntry {
  const entry = value as Partial<PrincipalEntry> | null;
  return typeof entry === 'object' && typeof entry?.token_digest === 'string' && typeof entry.principal_id === 'string';
}

/** Foreign entries and operators that stay, in their order; operators that are new at the end, in the order of the tenants. */
function entriesAfter(
  before: readonly PrincipalEntry[],
  { tokens }: OperatorInputs,
  tenants: readonly string[],
  gone: readonly string[],
): PrincipalEntry[] {
  const wanted = new Map<string, PrincipalEntry>();
  for (const tenant of tenants) {
    const token = tokens.get(tenant);
    if (token?.state === 'read') wanted.set(tenant, operatorEntry(tenant, token.value));
  }
  const placed = new Set<string>();
  const kept = before.flatMap((entry) => {
    const tenant = operatorTenant(entry);
    if (tenant === undefined) return [entry];
    const own = wanted.get(tenant);
    if (gone.includes(tenant) || placed.has(tenant)) return [];
    if (own === undefined) return [entry];
    placed.add(tenant);
    return [own];
  });
  return [...kept, ...[...wanted].flatMap(([tenant, entry]) => (placed.has(tenant) ? [] : [entry]))];
}

function operatorEntry(tenant: string, token: string): PrincipalEntry {
  return {
    token_digest: tokenDigest(token),
    principal_id: `human:operator:${tenant}`,
    tenant_id: tenant,
    scopes: [...OPERATOR_SCOPES],
    roles: ['operator'],
  };
}

/** The tenant of an entry that is the controller's. */
function operatorTenant({ principal_id, tenant_id }: PrincipalEntry): string | undefined {
  return tenant_id !== undefined && principal_id === `human:operator:${tenant_id}` ? tenant_id : undefined;
}

function goneTenant(entry: PrincipalEntry, tenants: readonly string[]): string[] {
  const tenant = operatorTenant(entry);
  return tenant === undefined || tenants.includes(tenant) ? [] : [tenant];
}

function stalled(object: string, reason: string, message: string): TrustObservation {
  return { object, type: 'Stalled', reason, message };
}
