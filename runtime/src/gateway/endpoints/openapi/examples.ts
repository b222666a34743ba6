import type { JsonSchema } from '../../../protocol/schema/dsl/json-schema.js';

/** Nested records deeper than this show only what they must have. */
const MAX_DEPTH = 6;

/** Values that say more than their type, by the name of the member. */
const TEXTS: Readonly<Record<string, string>> = {
  aip_version: '1.0',
  message_type: 'aip.core.v1.action',
  message_id: 'msg_0197a1c2d3e47f508192a3b4c5d6e7f1',
  action_id: 'act_0197a1c2d3e47f508192a3b4c5d6e7f1',
  session_id: 'sess_0197a1c2d3e47f508192a3b4c5d6e701',
  approval_id: 'appr_0197a1c2d3e47f508192a3b4c5d6e7a1',
  transaction_id: 'txn_0197a1c2d3e47f508192a3b4c5d6e7b1',
  capability_id: 'cap:demo:echo',
  resource_id: 'res:kb:returns',
  chain_id: 'action:act_0197a1c2d3e47f508192a3b4c5d6e7f1',
  tenant_id: 'tenant-acme',
  manifest_version: 'aip-manifest/v1',
};

const ENVELOPE = {
  aip_version: '1.0',
  message_type: 'aip.core.v1.action',
  message_id: TEXTS.message_id,
  sent_at: '2026-01-02T03:04:05Z',
  body: { action: { id: TEXTS.action_id, capability_id: TEXTS.capability_id, input: { text: 'hello' } } },
};

/** An example of a schema of the document: every member that it must have. */
export function exampleOf(name: string, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  if (name === 'Envelope') return ENVELOPE;
  return sampleOf(schemas[name] ?? {}, schemas, name, 0);
}

function sampleOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  member: string,
  depth: number,
): unknown {
  const target = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  if (target === 'Envelope') return ENVELOPE;
  if (target !== undefined) return sampleOf(schemas[target] ?? {}, schemas, member, depth + 1);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const choice of ['oneOf', 'anyOf', 'allOf']) {
    const [first] = (schema[choice] as JsonSchema[] | undefined) ?? [];
    if (first) return sampleOf(first, schemas, member, depth);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
      const required = (schema.required ?? []) as string[];
      return Object.fromEntries(
        required.map((name) => [name, sampleOf(properties[name] ?? {}, schemas, name, depth + 1)]),
      );
    }
    case 'array':
      return depth > MAX_DEPTH ? [] : [sampleOf((schema.items ?? {}) as JsonSchema, schemas, member, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    case 'string':
      return TEXTS[member] ?? (/_at$/.test(member) ? '2026-01-02T03:04:05Z' : `a-${member.replaceAll('_', '-')}`);
    default:
      return {};
  }
}
