import { readFile } from 'node:fs/promises';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Action, ActionResult, ActionStatus, ReceiptChain } from '#runtime/protocol/types.js';
import type { Dev } from './dev.ts';

/** A plain HTTP client of one gateway with one bearer token; throws nothing on error statuses. */
export interface TestClient {
  get(path: string): Promise<{ status: number; body: unknown }>;
  post(path: string, body: unknown): Promise<{ status: number; body: unknown }>;
  /** Submits one action in an unsigned envelope (the bearer is the identity); returns the id and the answer. */
  submit(action: Partial<Action> & { capability_id: string }): Promise<{ id: string; status: number; body: unknown }>;
  status(id: string): Promise<ActionStatus>;
  result(id: string): Promise<ActionResult>;
  receipts(id: string): Promise<ReceiptChain>;
}

export function clientOf(dev: Pick<Dev, 'ready' | 'token'>): TestClient {
  const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${dev.ready.gateway_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${dev.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    submit: async (action) => {
      const id = action.id ?? newId('action');
      const envelope = {
        aip_version: '1.0',
        message_type: 'aip.core.v1.action',
        message_id: newId('message'),
        sent_at: formatTime(Date.now()),
        body: { action: { input: {}, ...action, id } },
      };
      return { id, ...(await call('POST', '/aip/v1/actions', envelope)) };
    },
    status: async (id) => (await call('GET', `/aip/v1/actions/${id}?include_result=true`)).body as ActionStatus,
    result: async (id) => (await call('GET', `/aip/v1/actions/${id}/result`)).body as ActionResult,
    receipts: async (id) => (await call('GET', `/aip/v1/receipts/action:${id}`)).body as ReceiptChain,
  };
}

/** Addresses of all gateways of a fleet. */
export async function gatewayUrls(dev: Pick<Dev, 'pids'>): Promise<string[]> {
  const urls = new Set<string>();
  for (const pid of await dev.pids('aip-runtime', 'gateway')) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    const bind = environment.split('\0').find((line) => line.startsWith('AIP_GATEWAY_BIND='));
    if (bind) urls.add(`http://${bind.slice(bind.indexOf('=') + 1)}`);
  }
  return [...urls].sort();
}

/** A client of each gateway of a fleet. */
export async function clientsOf(dev: Dev): Promise<TestClient[]> {
  const urls = await gatewayUrls(dev);
  return urls.map((url) => clientOf({ ...dev, ready: { ...dev.ready, gateway_url: url } }));
}
