import type { Definition, Members, Type } from '../../runtime/src/protocol/schema/dsl/dsl.ts';

/** What the normal form does with a value: nothing, a time, a record by name, or the items of a list. */
type Visit = null | 'time' | { ref: string } | { list: Visit };
type Member = [mark: string, visit: Visit, absent?: unknown];

/**
 * The marks of every record that an envelope can hold, as JSON for the Python client: it brings what it signs into normal form with them
 * (docs/protocol/signing.md#normal-form). `bodies` has the message type and the record of every body.
 */
export function pythonMarks(
  definitions: ReadonlyMap<string, Definition>,
  bodies: Readonly<Record<string, readonly [messageType: string, content: Definition]>>,
): string {
  const records: Record<string, unknown> = {};
  for (const name of reachable(definitions.get('Envelope') as Definition)) {
    const definition = definitions.get(name) as Definition;
    if (definition.kind === 'record') records[name] = { members: membersOf(definition.members) };
    else if (definition.kind === 'choice')
      records[name] = {
        members: Object.fromEntries(
          Object.entries(definition.options).map(([key, type]) => [key, ['R', visitOf(type)]]),
        ),
      };
    else if (definition.kind === 'tagged') {
      const variants = Object.entries(definition.variants).map(([tag, members]) => [tag, membersOf(members)]);
      records[name] = { tag: definition.tag, variants: Object.fromEntries(variants) };
    }
  }
  const types = Object.fromEntries(Object.entries(bodies).map(([key, [messageType]]) => [key, messageType]));
  return `${JSON.stringify({ message_types: types, records }, null, 1)}\n`;
}

function membersOf(members: Members): Record<string, Member> {
  const entries = Object.entries(members).map(([name, { mark, type, default: absent }]): [string, Member] => [
    name,
    mark === 'D' ? [mark, visitOf(type), absent] : [mark, visitOf(type)],
  ]);
  return Object.fromEntries(entries);
}

function visitOf(type: Type): Visit {
  if (type.type === 'time') return 'time';
  if (type.type === 'ref') {
    const to = type.to();
    return to.kind === 'enum' ? null : { ref: to.name };
  }
  if (type.type !== 'list') return null;
  const item = visitOf(type.of);
  return item === null ? null : { list: item };
}

function typesOf(definition: Definition): Type[] {
  if (definition.kind === 'record') return Object.values(definition.members).map(({ type }) => type);
  if (definition.kind === 'choice') return Object.values(definition.options);
  if (definition.kind === 'enum') return [];
  return Object.values(definition.variants).flatMap((members) => Object.values(members).map(({ type }) => type));
}

/** Names of the definitions that a value of `start` can hold, sorted. */
function reachable(start: Definition): string[] {
  const found = new Set([start.name]);
  const waiting = [start];
  for (let definition = waiting.pop(); definition; definition = waiting.pop()) {
    for (let type of typesOf(definition)) {
      while (type.type === 'list' || type.type === 'map') type = type.of;
      if (type.type !== 'ref') continue;
      const to = type.to();
      if (to.kind === 'enum' || found.has(to.name)) continue;
      found.add(to.name);
      waiting.push(to);
    }
  }
  return [...found].sort();
}
