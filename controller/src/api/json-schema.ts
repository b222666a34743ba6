/**
 * The part of JSON Schema that resources are written in. It is what a structural schema of an API server takes too, so one
 * source serves both: objects are closed by listing their properties, and `x-` members carry what only an API server reads.
 */
export interface ResourceSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly format?: 'date-time';
  readonly properties?: Readonly<Record<string, ResourceSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: ResourceSchema;
  readonly items?: ResourceSchema;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  /** Any JSON below this point is kept as written. */
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  /** An integer or a string; such a schema has no `type`. */
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Validation[];
}

/** A CEL rule of an API server. `fieldPath` is the member to blame, below the schema that carries the rule. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueDuplicate';
}

/** The TypeScript type of the values that a schema written `as const` accepts, with defaults filled in. */
export type FromSchema<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly 'x-kubernetes-int-or-string': true }
    ? number | string
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'integer' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer I }
            ? FromSchema<I>[]
            : S extends { readonly properties: infer P; readonly 'x-kubernetes-preserve-unknown-fields': true }
              ? Members<S, P> & Record<string, unknown>
              : S extends { readonly properties: infer P }
                ? Members<S, P>
                : S extends { readonly additionalProperties: infer V }
                  ? Record<string, FromSchema<V>>
                  : S extends { readonly type: 'object' }
                    ? Record<string, unknown>
                    : unknown;

type Always<S, P> = {
  [K in keyof P]: S extends { readonly required: readonly (infer R)[] }
    ? K extends R
      ? K
      : P[K] extends { readonly default: unknown }
        ? K
        : never
    : P[K] extends { readonly default: unknown }
      ? K
      : never;
}[keyof P];

type Members<S, P> = { [K in Always<S, P>]: FromSchema<P[K]> } & {
  [K in Exclude<keyof P, Always<S, P>>]?: FromSchema<P[K]>;
};

/** The schema as a JSON Schema that refuses unknown members: closed objects, without the members only an API server reads. */
export function closedJsonSchema(schema: ResourceSchema): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'x-kubernetes-int-or-string') out.type = ['integer', 'string'];
    if (key.startsWith('x-') || key === 'default') continue;
    if (key === 'properties') out[key] = mapValues(value as Record<string, ResourceSchema>, closedJsonSchema);
    else if (key === 'items' || key === 'additionalProperties') out[key] = closedJsonSchema(value as ResourceSchema);
    else out[key] = value;
  }
  if (schema.properties && !schema['x-kubernetes-preserve-unknown-fields'] && !schema.additionalProperties) {
    out.additionalProperties = false;
  }
  return out;
}

/** A copy of `value` with the schema's defaults filled in, at every depth where the enclosing object is present. */
export function withDefaults(schema: ResourceSchema, value: unknown): unknown {
  if (value === undefined) {
    if (schema.default === undefined) return undefined;
    return withDefaults(schema, structuredClone(schema.default));
  }
  if (Array.isArray(value))
    return schema.items ? value.map((item) => withDefaults(schema.items as ResourceSchema, item)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const out: Record<string, unknown> = { ...value };
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    const filled = withDefaults(member, out[key]);
    if (filled !== undefined) out[key] = filled;
  }
  return out;
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
