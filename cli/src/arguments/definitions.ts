import { integerOf } from './integer.js';

/** What every flag says about itself. */
interface FlagText {
  /** One letter that stands for it. */
  char?: string;
  description?: string;
  /** Heading of help under which it stands; default: FLAGS. */
  helpGroup?: string;
  /** Flags that it excludes. */
  exclusive?: readonly string[];
  /** Flags without which it means nothing. */
  dependsOn?: readonly string[];
}

interface BooleanOptions extends FlagText {
  default?: boolean;
  /** Also takes `--no-NAME`; without a default neither is a third answer. */
  allowNo?: boolean;
}

export interface ValueOptions<T> extends FlagText {
  /** What stands for the value in help. */
  helpValue?: string;
  required?: boolean;
  default?: T;
  /** How people write the default. */
  defaultText?: string;
  /** May be repeated, and takes several values in a row. */
  multiple?: boolean;
}

interface IntegerOptions extends ValueOptions<number> {
  min?: number;
  max?: number;
}

/** A flag whose value is of type V. */
export interface Flag<V> extends FlagText {
  type: 'boolean' | 'option';
  helpValue?: string;
  options?: readonly string[];
  required?: boolean;
  multiple?: boolean;
  allowNo?: boolean;
  default?: unknown;
  /** How people write the default. */
  defaultText?: string;
  /** Value of a text; throws UsageError. */
  parse?: (text: string, flag: string) => unknown;
  /** Only for the compiler. */
  readonly gives?: () => V;
}

/** An argument whose value is of type V. */
export interface Arg<V> {
  description?: string;
  required?: boolean;
  options?: readonly string[];
  default?: string;
  /** Only for the compiler. */
  readonly gives?: () => V;
}

export type FlagSet = Record<string, Flag<unknown>>;
export type ArgSet = Record<string, Arg<unknown>>;
/** What a set of flags or arguments gives. */
export type ValuesOf<S> = {
  [N in keyof S]: S[N] extends { readonly gives?: () => infer V } ? V : never;
};

type Always = { required: true } | { default: string | number | boolean };
type Given<O, T> = O extends { multiple: true }
  ? T[] | (O extends Always ? never : undefined)
  : O extends Always
    ? T
    : T | undefined;
type GivenBoolean<O> = O extends { allowNo: true } ? (O extends Always ? boolean : boolean | undefined) : boolean;

/** A flag with a value that `parse` makes of its text. */
export function valueFlag<T, const O extends ValueOptions<T>>(
  options: O,
  parse: (text: string, flag: string) => T,
): Flag<Given<O, T>> {
  return { type: 'option', ...options, parse };
}

/** Makes flags. */
export const Flags = {
  boolean<const O extends BooleanOptions>(options: O): Flag<GivenBoolean<O>> {
    return { type: 'boolean', ...options };
  },
  string<const O extends ValueOptions<string>>(options: O): Flag<Given<O, string>> {
    return { type: 'option', ...options };
  },
  integer<const O extends IntegerOptions>(options: O): Flag<Given<O, number>> {
    return valueFlag<number, O>(options, (text, flag) => integerOf(text, flag, options));
  },
  /** One of some words. */
  option<const O extends ValueOptions<string> & { options: readonly string[] }>(
    options: O,
  ): Flag<Given<O, O['options'][number]>> {
    return { type: 'option', ...options };
  },
};

/** Makes arguments. */
export const Args = {
  string<const O extends Omit<Arg<string>, 'gives'>>(options: O): Arg<Given<O, string>> {
    return options;
  },
};
