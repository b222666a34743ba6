import type { DurableState } from '../../connectors/sdk/durable-state.js';
import type { Pool } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';

const MAX_KEY_BYTES = 512;
const MAX_VALUE_BYTES = 262_144;

const GET = 'SELECT value FROM connector_state WHERE instance_id = $1 AND key = $2';
const PUT = `
INSERT INTO connector_state (instance_id, key, value) VALUES ($1, $2, $3)
ON CONFLICT (instance_id, key) DO UPDATE SET value = excluded.value`;
/** Keeps the first value; the no-op update makes the stored one come back in the same statement. */
const ONCE = `
INSERT INTO connector_state (instance_id, key, value) VALUES ($1, $2, $3)
ON CONFLICT (instance_id, key) DO UPDATE SET value = connector_state.value
RETURNING value, xmax = 0 AS created`;
const INCREMENT = `
INSERT INTO connector_state (instance_id, key, value) VALUES ($1, $2, '1')
ON CONFLICT (instance_id, key) DO UPDATE SET value = to_json((connector_state.value #>> '{}')::bigint + 1)
RETURNING (value #>> '{}')::bigint AS value`;

/** The durable state of an instance's connector, in the host's own schema. */
export function openDurableState(pool: Pool, instanceId: string): DurableState {
  return {
    get: async (key) => {
      const { rows } = await pool.query<{ value: unknown }>({
        name: 'state_get',
        text: GET,
        values: [instanceId, checked(key)],
      });
      return rows[0]?.value;
    },
    put: async (key, value) => {
      await pool.query({ name: 'state_put', text: PUT, values: [instanceId, checked(key), jsonOf(value)] });
    },
    once: async (key, value) => {
      const { rows } = await pool.query<{ value: unknown; created: boolean }>({
        name: 'state_once',
        text: ONCE,
        values: [instanceId, checked(key), jsonOf(value)],
      });
      return rows[0] as { value: unknown; created: boolean };
    },
    increment: async (key) => {
      const { rows } = await pool.query<{ value: number }>({
        name: 'state_increment',
        text: INCREMENT,
        values: [instanceId, checked(key)],
      });
      return rows[0]?.value as number;
    },
  };
}

function checked(key: string): string {
  const bytes = Buffer.byteLength(key);
  if (bytes < 1 || bytes > MAX_KEY_BYTES) throw outOfBounds(`a state key has 1 to ${MAX_KEY_BYTES} bytes`);
  return key;
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw outOfBounds(`a state value has at most ${MAX_VALUE_BYTES} bytes`);
  return text;
}

function outOfBounds(message: string): AipError {
  return new AipError('connector.state_invalid', message);
}
