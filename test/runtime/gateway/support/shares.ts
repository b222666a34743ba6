import { expect } from 'vitest';
import { type HttpGateway, principalEntry, startHttpGateway } from './gateway.ts';

/** A gateway with four callers: Ann and Bob are of one tenant, Cy and Di of others. */
export function startSharedGateway(env: Record<string, string>): Promise<HttpGateway> {
  const entry = (token: string, tenant_id: string) => principalEntry(token, { tenant_id, scopes: ['*'] });
  return startHttpGateway({
    principals: [entry('ann', 'acme'), entry('bob', 'acme'), entry('cy', 'globex'), entry('di', 'initech')],
    env,
  });
}

/**
 * Opens as many as there may be where a principal has 2, a tenant 3 and all callers 4, and expects that one more is refused with `code`: of Ann, of
 * her tenant and of all. Returns what is open.
 */
export async function expectShares<T>(
  code: string,
  open: (token: string) => Promise<T>,
  refusalOf: (token: string) => Promise<unknown>,
): Promise<T[]> {
  const held = [await open('ann'), await open('ann')];
  expect(await refusalOf('ann')).toMatchObject({
    code,
    category: 'temporary',
    retryable: true,
    retry_after_ms: 1000,
    details: { scope: 'principal', limit: 2 },
  });
  held.push(await open('bob'));
  expect(await refusalOf('bob')).toMatchObject({ details: { scope: 'tenant', limit: 3 } });
  held.push(await open('cy'));
  expect(await refusalOf('di')).toMatchObject({ details: { scope: 'server', limit: 4 } });
  return held;
}
