import { AipError } from '../errors/aip-error.js';
import { DEFINITIONS } from '../schema/index.js';
import type { RecordTypes } from '../types.js';
import type { SchemaName } from '../validate.js';
import { Problem, visitOf } from './conform.js';

/**
 * The normal form of a record, which is what may be signed or hashed (docs/protocol/signing.md#normal-form): no null where a member is
 * optional, no empty optional list or map, every defaulted member written. Opaque values stay as they are. Gives back
 * the same reference when nothing changes. The value must pass the record's schema. Throws `envelope.decode.invalid` for a
 * time that is not RFC 3339 and an integer that is too wide.
 */
export function normalForm<N extends SchemaName>(name: N, value: unknown): RecordTypes[N] {
  return brought(name, value, false);
}

/** As `normalForm`, and `receivedOf` of every changed object gives what it was. */
export function decoded<N extends SchemaName>(name: N, value: unknown): RecordTypes[N] {
  return brought(name, value, true);
}

function brought<N extends SchemaName>(name: N, value: unknown, remember: boolean): RecordTypes[N] {
  const definition = DEFINITIONS.get(name);
  if (definition === undefined) throw new RangeError(`no such record: ${name}`);
  try {
    return visitOf(definition)?.(value, remember) as RecordTypes[N];
  } catch (error) {
    if (error instanceof Problem) {
      throw new AipError('envelope.decode.invalid', `${error.path || '/'} ${error.message}`, {
        details: { path: error.path },
      });
    }
    throw error;
  }
}
