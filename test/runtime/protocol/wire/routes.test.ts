import { describe, expect, it } from 'vitest';
import { decodeEnvelope } from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import type { ConnectorRoute } from '#runtime/protocol/types.js';
import {
  callbackRouteOf,
  isConnectorCallbackRoute,
  isConnectorEventRoute,
  isConnectorRoute,
} from '#runtime/protocol/wire/routes.js';
import { signed } from '../support.ts';

/** A route object out of a signed vector that carries it whole. */
function routeOf(member: string): Record<string, unknown> {
  for (const { text, name } of signed.envelopes) {
    const route = decodeEnvelope(parseJson(text)).security?.[member];
    if (route !== undefined && !name.startsWith('V')) return route as Record<string, unknown>;
  }
  throw new Error(`no vector with ${member}`);
}

const CASES = [
  ['connector_route', isConnectorRoute],
  ['connector_callback', isConnectorCallbackRoute],
  ['connector_event', isConnectorEventRoute],
] as const;
const MAY_BE_NULL = ['credential_revision_ref', 'quota_policy_ref', 'original_mode'];

describe.each(CASES)('%s', (member, accepts) => {
  const route = routeOf(member);
  const without = (name: string) => Object.fromEntries(Object.entries(route).filter(([key]) => key !== name));

  it('is taken as the vectors write it', () => {
    expect(accepts(route)).toBe(true);
  });

  it('is refused without any member that must be there, and with a member of another type', () => {
    for (const name of Object.keys(route)) {
      const optional = MAY_BE_NULL.includes(name) && !(name === 'original_mode' && member === 'connector_callback');
      expect(accepts(without(name)), name).toBe(optional);
      expect(accepts({ ...route, [name]: null }), name).toBe(optional);
      expect(accepts({ ...route, [name]: [] }), name).toBe(false);
    }
  });

  it('is closed at the ingress and open at the host', () => {
    expect(accepts({ ...route, surprise: 1 })).toBe(member === 'connector_route');
  });

  it('is refused with a manifest digest of an invalid format, and when it is not an object', () => {
    for (const manifest_digest of ['', 'ab', `sha256:${'AB'.repeat(32)}`]) {
      expect(accepts({ ...route, manifest_digest })).toBe(false);
    }
    for (const other of [null, undefined, 'route', [], 7]) expect(accepts(other)).toBe(false);
  });
});

describe('route values', () => {
  it('connector_event has a lease_sequence of at least 1', () => {
    for (const lease_sequence of [0, -1, 1.5, '1']) {
      expect(isConnectorEventRoute({ ...routeOf('connector_event'), lease_sequence })).toBe(false);
    }
  });

  it('connector_callback has original_mode streaming', () => {
    for (const original_mode of ['sync', 'async', null]) {
      expect(isConnectorCallbackRoute({ ...routeOf('connector_callback'), original_mode })).toBe(false);
    }
  });

  it('policy references have 1 to 256 bytes', () => {
    for (const [ref, ok] of [
      ['', false],
      ['x', true],
      ['x'.repeat(256), true],
      ['é'.repeat(129), false],
    ] as const) {
      expect(isConnectorRoute({ ...routeOf('connector_route'), credential_revision_ref: ref })).toBe(ok);
    }
  });

  it('the callback route is the dispatched route without the approval record', () => {
    const route = {
      ...routeOf('connector_route'),
      approval_authorization: { request: {} },
    } as unknown as ConnectorRoute;
    const callback = callbackRouteOf({ ...route, original_mode: 'streaming' });
    expect(isConnectorCallbackRoute(callback)).toBe(true);
    const { approval_authorization: _, ...rest } = route;
    expect(callback).toEqual({ ...rest, original_mode: 'streaming' });
  });
});
