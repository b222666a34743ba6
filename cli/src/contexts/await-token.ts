import { GatewayRefused } from '@aip/runtime/internal/gateway';
import { pollUntil, waited } from '@aip/runtime/internal/time';
import { connect } from './connection.js';

/** A kubelet brings a changed Secret to the gateways within about a minute. */
const LONGEST_MS = 120_000;
const POLL_MS = 1000;
const UNAUTHORIZED = 401;

/** `unasked`: no gateway could be asked, which another command reports better. */
export type TokenState = 'known' | 'unknown' | 'unasked';

/**
 * Waits, for two minutes at most, until gateways know the token: that of a tenant's first instance was made moments ago. `ask` sends one
 * request with it and throws what the client throws; `waits` is reported once, when there is something to wait for.
 */
export async function awaitToken(
  ask: () => Promise<unknown>,
  waits: () => void,
  { pollMs = POLL_MS, longestMs = LONGEST_MS } = {},
): Promise<TokenState> {
  const asked = async (): Promise<TokenState | undefined> => {
    try {
      await ask();
      return 'known';
    } catch (error) {
      if (!(error instanceof GatewayRefused)) return 'unasked';
      return error.status === UNAUTHORIZED ? undefined : 'known';
    }
  };
  let reported = false;
  const pause = (ms: number): Promise<unknown> => {
    if (!reported) waits();
    reported = true;
    return waited(ms);
  };
  return (await pollUntil(asked, { everyMs: () => pollMs, longestMs, pause })) ?? 'unknown';
}

/** Asks the gateway of a context for something that needs a token. */
export async function askWithContext(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { gateway, close } = await connect({ context: name }, env);
  await gateway.request({ path: '/aip/v1/actions', query: { limit: 1 } }).finally(close);
}
