import { BROKER_TIMEOUT_MS, MAX_TIMER_MS } from '../../../protocol/limits.js';
import { type BrokerService, SUBJECT_COMPONENT } from '../../../transport/nats/subjects.js';
import type { Env } from '../../../transport/settings/env.js';
import type { FileSetting } from '../../../transport/settings/live-setting.js';
import { trustedRootsOf } from '../../../transport/settings/tls.js';

/** Messages that a listener answers at once unless configured. */
const MAX_IN_FLIGHT = 128;
/** Of these, messages of one signer unless configured. */
const MAX_IN_FLIGHT_PER_SIGNER = 32;

/** The message broker of a gateway. */
export interface BrokerConfig {
  readonly servers: readonly string[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tlsCa: FileSetting<string | undefined>;
  /** The names under which this gateway listens. */
  readonly service: BrokerService;
  /** Gateways of one group share the requests; without it each of them answers every one. */
  readonly queueGroup?: string | undefined;
  /** Of a request of this gateway to a peer, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerSigner: number;
}

/** Reads the variables NATS_*; undefined without NATS_URL. Throws StartupRefused. */
export function readBrokerConfig(vars: Env, trustDomain: string): BrokerConfig | undefined {
  const servers = vars.list('NATS_URL');
  if (servers.length === 0) {
    const stray = vars.givenWith('NATS_').find((name) => name !== 'NATS_QUEUE_GROUP' && name !== 'NATS_URL');
    if (stray !== undefined) throw vars.refuse(stray, 'needs NATS_URL');
    return undefined;
  }
  for (const server of servers)
    if (!isBrokerUrl(server))
      throw vars.refuse('NATS_URL', 'must be nats:// or tls:// URLs without credentials and path');
  const username = vars.text('NATS_USERNAME');
  const password = vars.secretFile('NATS_PASSWORD_FILE');
  if ((username === undefined) !== (password === undefined))
    throw vars.refuse('NATS_USERNAME', `and ${vars.name('NATS_PASSWORD_FILE')} must be given together`);
  const maxInFlight = vars.int('NATS_MAX_IN_FLIGHT', MAX_IN_FLIGHT, { min: 1, max: 10_000 });
  const component = { pattern: SUBJECT_COMPONENT, form: 'text without *, > and control characters', maxBytes: 256 };
  return {
    servers,
    username,
    password,
    tlsCa: trustedRootsOf(vars, 'NATS_TLS_CA_FILE'),
    service: {
      trustDomain: vars.text('NATS_TRUST_DOMAIN', component) ?? trustDomain,
      service: vars.text('NATS_SERVICE', component) ?? 'aip-gateway',
      version: vars.text('NATS_VERSION', component) ?? 'v1',
    },
    queueGroup: vars.text('NATS_QUEUE_GROUP', { ...component, pattern: /^[^*>\s\p{Cc}]+$/u }),
    requestTimeoutMs: vars.int('NATS_REQUEST_TIMEOUT_MS', BROKER_TIMEOUT_MS, { min: 1, max: MAX_TIMER_MS }),
    maxInFlight,
    maxInFlightPerSigner: vars.int('NATS_MAX_IN_FLIGHT_PER_SIGNER', Math.min(MAX_IN_FLIGHT_PER_SIGNER, maxInFlight), {
      min: 1,
      max: maxInFlight,
    }),
  };
}

/** Whether a text is the URL of a broker: credentials have variables of their own. */
export function isBrokerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash, hostname } = new URL(text);
  if (!['nats:', 'tls:'].includes(protocol) || hostname === '') return false;
  return username === '' && password === '' && ['', '/'].includes(pathname) && search === '' && hash === '';
}
