import { NamedError } from '../errors/named-error.js';
import { isRawJson } from '../json.js';
import type { Definition, Mark, Members, Type } from '../schema/dsl/dsl.js';
import { normalTime } from '../time.js';
import { rememberReceived } from './received.js';

/** A member that the schema lets through and the typed decode does not: a time, an integer too wide or with a fraction. */
export class Problem extends NamedError {
  /** JSON pointer of the member. */
  path = '';
}

/** Brings a schema-valid value into normal form; gives back the same reference when it already is. */
type Visit = (value: unknown, remember: boolean) => unknown;

interface VisitedMember {
  readonly mark: Mark;
  /** Absent when the type has nothing to look into. */
  readonly visit: Visit | undefined;
}

interface ObjectPlan {
  readonly members: ReadonlyMap<string, VisitedMember>;
  readonly defaults: readonly (readonly [name: string, value: unknown])[];
}

const visits = new Map<Definition, Visit>();

/**
 * The visit of a definition: drops members that are null or an empty list where that means absent, writes defaulted
 * members, writes times in their one form, reads integers and floats kept as text, and checks what the schema leaves to the decode (docs/protocol/envelope.md#absent-null-default).
 * Opaque values are not touched. With `remember`, a changed object remembers what was received. Throws Problem.
 */
export function visitOf(definition: Definition): Visit | undefined {
  if (definition.kind === 'enum') return undefined;
  const known = visits.get(definition);
  if (known !== undefined) return known;
  let plan: Visit | undefined;
  const visit: Visit = (value, remember) => {
    plan ??= planOf(definition);
    return plan(value, remember);
  };
  visits.set(definition, visit);
  return visit;
}

function planOf(definition: Exclude<Definition, { kind: 'enum' }>): Visit {
  switch (definition.kind) {
    case 'record': {
      const plan = objectPlan(definition.members);
      return (value, remember) => visitObject(plan, value as object, remember);
    }
    case 'choice': {
      const members = Object.entries(definition.options).map(([key, type]) => [key, { mark: 'R', type }] as const);
      const plan = objectPlan(Object.fromEntries(members));
      return (value, remember) => visitObject(plan, value as object, remember);
    }
    case 'tagged': {
      const plans = new Map(Object.entries(definition.variants).map(([tag, members]) => [tag, objectPlan(members)]));
      return (value, remember) => {
        const plan = plans.get((value as Record<string, string>)[definition.tag] as string);
        return plan === undefined ? value : visitObject(plan, value as object, remember);
      };
    }
  }
}

function objectPlan(members: Members): ObjectPlan {
  const entries = Object.entries(members);
  return {
    members: new Map(entries.map(([name, { mark, type }]) => [name, { mark, visit: visitOfType(type) }])),
    defaults: entries.filter(([, { mark }]) => mark === 'D').map(([name, member]) => [name, member.default]),
  };
}

function visitOfType(type: Type): Visit | undefined {
  switch (type.type) {
    case 'time':
      return visitTime;
    case 'uint':
      return type.bits === 32 ? visitU32 : visitU64;
    case 'float':
      return (value) => (isRawJson(value) ? Number(value.rawJSON) : value);
    case 'lease':
      return (value, remember) => visitList(value as unknown[], visitInteger, remember);
    case 'list': {
      const item = visitOfType(type.of);
      return item && ((value, remember) => visitList(value as unknown[], item, remember));
    }
    case 'ref':
      return visitOf(type.to());
    default:
      return undefined;
  }
}

function visitObject(plan: ObjectPlan, value: object, remember: boolean): unknown {
  const object = value as Record<string, unknown>;
  let changed: Record<string, unknown> | undefined;
  for (const name in object) {
    const member = plan.members.get(name);
    if (member === undefined) continue;
    const item = object[name];
    if (meansAbsent(member.mark, item)) {
      changed ??= { ...object };
      delete changed[name];
    } else if (member.visit !== undefined && item !== null) {
      const visited = visitMember(member.visit, item, name, remember);
      if (visited !== item) {
        changed ??= { ...object };
        changed[name] = visited;
      }
    }
  }
  for (const [name, absent] of plan.defaults) {
    if (object[name] === undefined) {
      changed ??= { ...object };
      const visit = plan.members.get(name)?.visit;
      changed[name] = visit === undefined ? absent : visit(absent, false);
    }
  }
  if (changed === undefined) return object;
  if (remember) rememberReceived(changed, object);
  return changed;
}

function meansAbsent(mark: Mark, value: unknown): boolean {
  if (value === undefined) return true;
  if (value === null) return mark === 'O';
  if (mark !== 'L') return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value as object).length === 0;
}

function visitMember(visit: Visit, value: unknown, name: string | number, remember: boolean): unknown {
  try {
    return visit(value, remember);
  } catch (error) {
    if (error instanceof Problem) error.path = `/${name}${error.path}`;
    throw error;
  }
}

function visitList(items: unknown[], visit: Visit, remember: boolean): unknown[] {
  let changed: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const visited = visitMember(visit, items[i], i, remember);
    if (visited !== items[i]) {
      changed ??= items.slice();
      changed[i] = visited;
    }
  }
  return changed ?? items;
}

function visitTime(value: unknown): unknown {
  try {
    return normalTime(value as string);
  } catch (error) {
    throw new Problem((error as Error).message);
  }
}

const MAX_U32 = 2 ** 32 - 1;
const MAX_U64 = 2n ** 64n - 1n;

/** An integer token as a number, however large; a fraction or exponent is refused even when its value is whole. */
function visitInteger(value: unknown): number {
  if (!isRawJson(value)) {
    if (!Number.isInteger(value) || !/^-?\d+$/.test(`${value}`)) throw new Problem('must be an integer');
    return value as number;
  }
  if (!/^-?\d+$/.test(value.rawJSON) || value.rawJSON === '-0') {
    throw new Problem('must be an integer without fraction or exponent');
  }
  return Number(value.rawJSON);
}

function visitU32(value: unknown): number {
  const integer = visitInteger(value);
  if (integer < 0 || integer > MAX_U32) throw new Problem('must be an integer of at most 32 bits');
  return integer;
}

/** An integer of 64 bits: a number, or the token as it came where a number would change it. */
function visitU64(value: unknown): unknown {
  const integer = visitInteger(value);
  if (Number.isSafeInteger(integer) && integer >= 0) return integer;
  const exact = BigInt(isRawJson(value) ? value.rawJSON : `${value}`);
  if (exact < 0n || exact > MAX_U64) throw new Problem('must be an integer of at most 64 bits');
  return value;
}
