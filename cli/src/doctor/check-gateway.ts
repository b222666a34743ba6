import { listActions } from '@aip/runtime/internal/client';
import { ClientError, type Gateway, GatewayRefused } from '@aip/runtime/internal/gateway';
import { timed } from '@aip/runtime/internal/time';
import { adviceOf, NoGatewayPod } from '../client/errors.js';
import { timeLeft } from '../duration.js';
import { type Finding, finding } from './check.js';

/** Clocks further apart than this are reported, in ms: times in signed messages and leases are compared with less than a minute to spare. */
const SKEW_MS = 5000;

/** From here on actions that are never removed are worth a warning. */
const MANY_ACTIONS = 1_000_000;
const GIB = 1_073_741_824;
const MANY_BYTES = 10 * GIB;
const METRICS_MS = 5000;

/** What the doctor reads of a gateway's /ready. */
interface Readiness {
  status?: string;
  gateway?: { storage?: { ready?: boolean; detail?: string }; clock?: { ready?: boolean; detail?: string } };
  supervisor?: { runtime_worker_running?: boolean; last_worker_error?: string };
}

/** Is the gateway there, is it ready, does it take the token, and do the clocks agree? */
export async function checkGateway(gateway: Gateway, now: () => number = Date.now): Promise<Finding[]> {
  const startedAt = now();
  let probe: Awaited<ReturnType<Gateway['probe']>>;
  try {
    probe = await gateway.probe('/ready');
  } catch (error) {
    const { message, advice } = told(error);
    return [finding.fail('gateway', message, advice), finding.skip('token', 'the gateway does not answer')];
  }
  const endedAt = now();
  return [
    reached(gateway, probe.status),
    ...storage(probe.body as Readiness | undefined),
    clocks(probe.at, startedAt, endedAt),
    await token(gateway),
    ...(await storedActions(gateway)),
  ];
}

/** Actions that are kept forever and have become many. A gateway whose metrics are not open to the caller says nothing. */
async function storedActions(gateway: Gateway): Promise<Finding[]> {
  const text = await metricsOf(gateway);
  const value = (family: string): number => Number(new RegExp(`^${family} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const [days, actions, bytes] = [
    value('aip_retention_actions_days'),
    value('aip_stored_actions'),
    value('aip_stored_actions_bytes'),
  ];
  if (days !== 0 || !(actions >= MANY_ACTIONS || bytes >= MANY_BYTES)) return [];
  return [
    finding.warn(
      'actions',
      `about ${actions.toLocaleString('en-US')} are stored in ${(bytes / GIB).toFixed(1)} GiB, and none is ever removed`,
      'Set AIP_GATEWAY_RETENTION_ACTIONS_DAYS (gateway.retention.actionsDays of the chart).',
    ),
  ];
}

/** The text of the gateway's metrics, at most the first MiB; empty where they cannot be read. */
async function metricsOf(gateway: Gateway): Promise<string> {
  try {
    return await timed(METRICS_MS, async (signal) => {
      let text = '';
      const decoder = new TextDecoder();
      for await (const part of await gateway.download({ path: '/metrics', signal })) {
        text += decoder.decode(part, { stream: true });
        if (text.length > 1_048_576) break;
      }
      return text;
    });
  } catch {
    return '';
  }
}

function told(error: unknown): { message: string; advice: string } {
  const again = 'Is the address right, and does something listen there?';
  if (error instanceof NoGatewayPod) return { message: error.message, advice: 'The lines about Pods below say why.' };
  if (error instanceof ClientError) return { message: error.message, advice: adviceOf(error) ?? again };
  return { message: error instanceof Error ? error.message : String(error), advice: again };
}

function reached(gateway: Gateway, status: number): Finding {
  if (status === 200) return finding.ok('gateway', `${gateway.url} is ready`);
  if (status === 503)
    return finding.fail('gateway', `${gateway.url} answers but is not ready`, 'The next lines, and its log, say why.');
  // An edge lets the API through and nothing else; whether this is one, the token shows.
  if (status === 404) return finding.skip('gateway', `${gateway.url} answers, and does not show whether it is ready`);
  return finding.fail('gateway', `${gateway.url} answers ${status} to /ready`, 'Is this address an AIP gateway?');
}

function storage(body: Readiness | undefined): Finding[] {
  const found: Finding[] = [];
  const { storage } = body?.gateway ?? {};
  if (storage)
    found.push(
      storage.ready
        ? finding.ok('database', 'the gateway reaches its database')
        : finding.fail('database', `the gateway does not reach its database: ${storage.detail ?? ''}`, DATABASE_ADVICE),
    );
  const { clock } = body?.gateway ?? {};
  if (clock?.ready === false)
    found.push(
      finding.fail('time', clock.detail ?? 'the clock of the gateway is wrong', 'Does a time service run there?'),
    );
  const { runtime_worker_running: running, last_worker_error: problem } = body?.supervisor ?? {};
  if (running === false)
    found.push(finding.fail('worker', `the worker does not run${problem ? `: ${problem}` : ''}`, 'Check its log.'));
  return found;
}

const DATABASE_ADVICE = 'Does the database run, and is its URL right?';

/** The server's clock has whole seconds; it was read somewhere between question and answer. */
function clocks(at: number | undefined, startedAt: number, endedAt: number): Finding {
  if (at === undefined) return finding.skip('clock', 'the gateway does not tell the time');
  const skew = at + 1000 < startedAt ? startedAt - at - 1000 : at > endedAt ? at - endedAt : 0;
  if (skew <= SKEW_MS) return finding.ok('clock', 'agrees with the gateway');
  return finding.warn(
    'clock',
    `differs from the gateway's by ${timeLeft(skew)}`,
    'Set the clocks by NTP: life times and signatures are checked against them.',
  );
}

async function token(gateway: Gateway): Promise<Finding> {
  try {
    await listActions(gateway, { limit: 1 });
    return finding.ok('token', 'is accepted');
  } catch (error) {
    if (error instanceof GatewayRefused && error.status === 401)
      return finding.fail('token', 'is not taken', 'Name a valid one; `aip tokens create` makes one.');
    if (error instanceof GatewayRefused && error.status === 403)
      return finding.warn('token', `may not list actions: ${error.message}`, 'Is this the token you meant?');
    const { message, advice } = told(error);
    return finding.fail('token', `can't be tried: ${message}`, advice);
  }
}
