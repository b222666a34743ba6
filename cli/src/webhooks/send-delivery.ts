import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type DevInfo, dataPaths, defaultDataDir, readJson } from '@aip/controller/internal/data-folder';
import { fileProblem, reasonOf } from '@aip/runtime/internal/gateway';
import { webhookNames, webhookSignature } from '@aip/runtime/internal/signing';
import { timed } from '@aip/runtime/internal/time';
import { UsageError } from '../client/errors.js';
import { trustedFetch } from '../client/trusted-fetch.js';

/** What a delivery is made of and where it goes. */
export interface DeliveryRequest {
  /** Path of the body; `-` is standard input. */
  file: string;
  secretFile: string;
  url?: string | undefined;
  instance?: string | undefined;
  deliveryId?: string | undefined;
  caFile?: string | undefined;
  data?: string | undefined;
}

/** A delivery that was answered. */
export interface SentDelivery {
  url: string;
  delivery_id: string;
  status: number;
  /** The body of the answer, parsed when it is JSON. */
  answer: unknown;
}

const ROUTE = /\/webhooks\/([a-z0-9][-a-z0-9_.]*)$/;
/** Longer than a host takes with its attempt at a gateway. */
const TIMEOUT_MS = 15_000;

/** Signs the bytes of the file as they are, now, and sends them once. Throws UsageError. */
export async function sendDelivery(request: DeliveryRequest, env: NodeJS.ProcessEnv): Promise<SentDelivery> {
  const url = request.url ?? (await urlOfDev(request, env));
  const provider = URL.canParse(url) ? ROUTE.exec(new URL(url).pathname)?.[1] : undefined;
  if (provider === undefined)
    throw new UsageError(
      `${url} is not a webhook route.`,
      'Its path ends in /webhooks/<type>, such as /webhooks/chatwoot.',
    );
  const [body, key] = await Promise.all([
    request.file === '-' ? buffer(process.stdin) : bytesOf(request.file, 'delivery'),
    bytesOf(request.secretFile, 'secret'),
  ]);
  const { headers } = webhookNames(provider);
  const deliveryId = request.deliveryId ?? randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const trusted =
    request.caFile === undefined ? undefined : trustedFetch({ ca: await readFile(request.caFile, 'utf8') });
  try {
    return await timed(TIMEOUT_MS, async (signal) => {
      const response = await (trusted?.fetch ?? fetch)(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [headers.delivery]: deliveryId,
          [headers.timestamp]: timestamp,
          [headers.signature]: `sha256=${webhookSignature(key, timestamp, body).toString('hex')}`,
        },
        body,
        redirect: 'manual',
        signal,
      }).catch((error: unknown) => {
        throw new UsageError(
          `${url} did not answer: ${reasonOf(error)}.`,
          'Check the URL, and that a host of the instance is ready.',
        );
      });
      return { url, delivery_id: deliveryId, status: response.status, answer: parsed(await response.text()) };
    });
  } finally {
    await trusted?.close();
  }
}

/** The webhook route of the one instance, or the named one, of the running `aip dev`. */
async function urlOfDev({ data, instance }: DeliveryRequest, env: NodeJS.ProcessEnv): Promise<string> {
  const info = await readJson<DevInfo>(dataPaths(data ?? defaultDataDir(env)).devJson);
  if (!info) throw new UsageError('No `aip dev` is running.', 'Start one, or name the route with --url.');
  const found = info.instances.filter(
    (each) => each.webhook_url !== undefined && (instance ?? each.name) === each.name,
  );
  if (found.length === 1) return found[0]?.webhook_url as string;
  if (found.length === 0)
    throw new UsageError(
      instance === undefined
        ? 'No instance takes webhook deliveries.'
        : `The instance ${instance} takes no webhook deliveries.`,
      'Give it the secret webhook-secret.',
    );
  throw new UsageError(
    'Several instances take webhook deliveries.',
    `Choose one with --instance: ${found.map(({ name }) => name).join(', ')}.`,
  );
}

async function bytesOf(path: string, what: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The ${what} file ${path} can't be read: ${fileProblem(error)}.`);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
