/** The TypeScript type of the values that pass a JSON Schema written as a literal; `unknown` for what is not known at compile time. */
export type FromSchema<S> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends { readonly anyOf: readonly (infer Branch)[] }
          ? FromSchema<Branch>
          : S extends { readonly oneOf: readonly (infer Branch)[] }
            ? FromSchema<Branch>
            : S extends { readonly type: infer Type }
              ? Type extends readonly (infer Each)[]
                ? Typed<Each, S>
                : Typed<Type, S>
              : unknown;

type Typed<Type, S> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ArrayOf<S>
          : Type extends 'object'
            ? ObjectOf<S>
            : unknown;

type ArrayOf<S> = S extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[];

type PropertiesOf<S> = S extends { readonly properties: infer P extends object } ? P : Record<never, never>;
type RequiredOf<S> = S extends { readonly required: readonly (infer Name extends string)[] } ? Name : never;

type ObjectOf<S> = Flat<
  {
    -readonly [Name in keyof PropertiesOf<S> as Name extends RequiredOf<S> ? Name : never]: FromSchema<
      PropertiesOf<S>[Name]
    >;
  } & {
    -readonly [Name in keyof PropertiesOf<S> as Name extends RequiredOf<S> ? never : Name]?: FromSchema<
      PropertiesOf<S>[Name]
    >;
  } & { [Name in Exclude<RequiredOf<S>, keyof PropertiesOf<S>>]: unknown }
> &
  RestOf<S>;

/** Members that the schema does not name. */
type RestOf<S> = S extends { readonly additionalProperties: infer Rest }
  ? Rest extends false
    ? unknown
    : Record<string, unknown>
  : Record<string, unknown>;

type Flat<T> = { [Name in keyof T]: T[Name] };
