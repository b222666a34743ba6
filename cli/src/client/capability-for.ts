import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { listCapabilities } from '@aip/runtime/internal/client';
import { type Gateway, GatewayRefused } from '@aip/runtime/internal/gateway';
import { compileJsonSchema } from '@aip/runtime/internal/messages';
import type { Capability } from '@aip/runtime/internal/protocol';
import { isAskable } from './ask-input.js';
import { UsageError } from './errors.js';
import { exampleCall } from './example.js';

/** Pages of 200 capabilities in which near names are looked for. */
const PAGES = 10;

/** The capability of that id that the tenant may call; undefined when there is none. */
export async function findCapability(gateway: Gateway, id: string): Promise<Capability | undefined> {
  const page = await listCapabilities(gateway, { capability_id: id });
  return page.capabilities.find(({ capability }) => capability.id === id)?.capability;
}

/** Ids of what the tenant may call. */
export async function capabilityIds(gateway: Gateway): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES && cursor !== null; page += 1) {
    const found = await listCapabilities(gateway, { limit: 200, ...(cursor ? { cursor } : {}) });
    ids.push(...found.capabilities.map(({ capability }) => capability.id));
    cursor = found.next_cursor;
  }
  return ids;
}

/** There is no such capability; names those that are like it. */
export async function unknownCapability(gateway: Gateway, id: string): Promise<UsageError> {
  const near = similar(id, await capabilityIds(gateway).catch(() => []));
  return new UsageError(
    `There is no capability ${id} that your tenant may call.`,
    didYouMean(near) ?? '`aip capabilities` shows what there is.',
  );
}

/**
 * The input for a call whose input the user did not give: an empty one where that fits, else what `ask` gives. Throws UsageError with an example of
 * what to give when there is no one to ask, or with the names of capabilities that are like an unknown one. A catalog that can't be read
 * lets everything pass: the gateway checks anyway.
 */
export async function missingInput(
  gateway: Gateway,
  id: string,
  ask: ((capability: Capability) => Promise<unknown>) | undefined,
): Promise<unknown> {
  const capability = await findCapability(gateway, id).catch((error: unknown) => {
    if (error instanceof GatewayRefused) return null;
    throw error;
  });
  if (capability === null) return {};
  if (!capability) throw await unknownCapability(gateway, id);
  const check = compileJsonSchema(capability.input_schema);
  const [none] = check({});
  if (!none) return {};
  const input = ask && isAskable(capability.input_schema) ? await ask(capability) : {};
  const [first] = check(input);
  if (!first) return input;
  throw new UsageError(
    `${id} needs an input: ${first.path.replace(/^[$/]\.?/, '') || 'it'} ${first.message}.`,
    `Try \`${exampleCall(capability)}\`.`,
  );
}

/** Throws UsageError when the capability is only called with an idempotency key and there is none. */
export function checkKeyGiven({ id, contract }: Capability, key: string | undefined): void {
  if (contract?.idempotency.requirement !== 'required' || key !== undefined) return;
  throw new UsageError(
    `${id} needs an idempotency key.`,
    'Add --idempotency-key KEY; a repeat under the same key gives the first result.',
  );
}

/** Throws the error again, or, when the capability is unknown, one that names those that are like it. */
export async function withNearCapabilities(gateway: Gateway, id: string, error: unknown): Promise<never> {
  const unknown =
    error instanceof GatewayRefused &&
    /^(capability|action\.capability|connector)\S*(not_found|unknown)/.test(error.code);
  throw unknown ? await unknownCapability(gateway, id) : error;
}
