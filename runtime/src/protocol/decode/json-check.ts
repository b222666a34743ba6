import { JsonInvalid } from '../errors/envelope.js';
import { MAX_JSON_DEPTH } from '../json.js';

/** Checks JSON that arrives in parts and is never held as a whole. */
export interface JsonCheck {
  /** Takes the next bytes. Throws JsonInvalid as soon as they cannot belong to a JSON text. */
  push(bytes: Uint8Array): void;
  /** Ends the text. Throws JsonInvalid when it is not complete. */
  end(): void;
}

type Expecting = 'value' | 'value_or_end' | 'name' | 'name_or_end' | 'colon' | 'comma_or_end' | 'nothing';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MAX_NUMBER_BYTES = 4096;
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** Opens a check of one JSON text in UTF-8, nested at most 128 levels deep. Nothing is read into values, so names may be given twice. */
export function openJsonCheck(): JsonCheck {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** For each open level whether it is an object. */
  const open: boolean[] = [];
  let expecting: Expecting = 'value';
  /** A token that is not complete: a string (a name or a value), or a number or literal with its text so far. */
  let string: 'name' | 'value' | undefined;
  let escaping = 0;
  let word: string | undefined;

  const fail = (problem: string): never => {
    throw new JsonInvalid(`the text is not valid JSON: ${problem}`);
  };
  const valueEnded = (): void => {
    expecting = open.length === 0 ? 'nothing' : 'comma_or_end';
  };
  const wordEnded = (): void => {
    const text = word as string;
    const literal = LITERALS[text[0] as string];
    if (literal === undefined ? !NUMBER.test(text) : literal !== text) fail('a value is malformed');
    word = undefined;
    valueEnded();
  };
  const enter = (object: boolean): void => {
    if (open.length === MAX_JSON_DEPTH) fail(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
    open.push(object);
    expecting = object ? 'name_or_end' : 'value_or_end';
  };
  const leave = (object: boolean): void => {
    const empty = expecting === (object ? 'name_or_end' : 'value_or_end');
    if (open.at(-1) !== object || !(empty || expecting === 'comma_or_end')) fail('a bracket does not fit');
    open.pop();
    valueEnded();
  };

  /** Takes the rest of a string from `at`; returns where it ended, or the end of the text. */
  const inString = (text: string, from: number): number => {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (escaping > 1) {
        if (!/[0-9a-fA-F]/.test(text[at] as string)) fail('an escape is malformed');
        escaping -= 1;
        if (escaping === 1) escaping = 0;
      } else if (escaping === 1) {
        if (!'"\\/bfnrtu'.includes(text[at] as string)) fail('an escape is malformed');
        escaping = text[at] === 'u' ? 5 : 0;
      } else if (code === 0x22) {
        if (string === 'name') expecting = 'colon';
        else valueEnded();
        string = undefined;
        return at;
      } else if (code === 0x5c) escaping = 1;
      else if (code < 0x20) fail('a control character is not escaped');
    }
    return text.length;
  };

  const take = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) {
      if (string !== undefined) {
        at = inString(text, at);
        continue;
      }
      const character = text[at] as string;
      if (word !== undefined) {
        if (/[-+.0-9a-zA-Z]/.test(character)) {
          if (word.length >= MAX_NUMBER_BYTES) fail('a number is too long');
          word += character;
          continue;
        }
        wordEnded();
      }
      if (character === ' ' || character === '\n' || character === '\r' || character === '\t') continue;
      const value = expecting === 'value' || expecting === 'value_or_end';
      if (character === '"' && value) string = 'value';
      else if (character === '"' && (expecting === 'name' || expecting === 'name_or_end')) string = 'name';
      else if ((character === '{' || character === '[') && value) enter(character === '{');
      else if (character === '}' || character === ']') leave(character === '}');
      else if (character === ':' && expecting === 'colon') expecting = 'value';
      else if (character === ',' && expecting === 'comma_or_end') expecting = open.at(-1) ? 'name' : 'value';
      else if (value && /[-0-9tfn]/.test(character)) word = character;
      else fail(`unexpected ${JSON.stringify(character)}`);
    }
  };
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      return fail('it is not UTF-8');
    }
  };

  return {
    push: (bytes) => take(decoded(bytes)),
    end: () => {
      take(decoded());
      if (string === undefined && word !== undefined) wordEnded();
      if (expecting !== 'nothing' || string !== undefined) fail('it ends too early');
    },
  };
}
