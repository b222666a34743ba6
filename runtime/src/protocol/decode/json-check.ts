import { JsonInvalid } from '../errors/classes.js';
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
  const tokens = new JsonTokens();
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      return fail('it is not UTF-8');
    }
  };
  return {
    push: (bytes) => tokens.take(decoded(bytes)),
    end: () => {
      tokens.take(decoded());
      tokens.end();
    },
  };
}

function fail(problem: string): never {
  throw new JsonInvalid(`the text is not valid JSON: ${problem}`);
}

/** Where a JSON text is that arrives in parts. */
class JsonTokens {
  /** For each open level whether it is an object. */
  private readonly open: boolean[] = [];
  private expecting: Expecting = 'value';
  /** A token that is not complete: a string (a name or a value), or a number or literal with its text so far. */
  private string: 'name' | 'value' | undefined;
  private escaping = 0;
  private word: string | undefined;

  take(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      if (this.string !== undefined) {
        at = this.inString(text, at);
        continue;
      }
      const character = text[at] as string;
      if (this.word !== undefined) {
        if (/[-+.0-9a-zA-Z]/.test(character)) {
          if (this.word.length >= MAX_NUMBER_BYTES) fail('a number is too long');
          this.word += character;
          continue;
        }
        this.wordEnded(this.word);
      }
      if (character === ' ' || character === '\n' || character === '\r' || character === '\t') continue;
      this.begin(character);
    }
  }

  end(): void {
    if (this.string === undefined && this.word !== undefined) this.wordEnded(this.word);
    if (this.expecting !== 'nothing' || this.string !== undefined) fail('it ends too early');
  }

  /** Takes the first character of a token. */
  private begin(character: string): void {
    const { expecting } = this;
    const value = expecting === 'value' || expecting === 'value_or_end';
    if (character === '"' && value) this.string = 'value';
    else if (character === '"' && (expecting === 'name' || expecting === 'name_or_end')) this.string = 'name';
    else if ((character === '{' || character === '[') && value) this.enter(character === '{');
    else if (character === '}' || character === ']') this.leave(character === '}');
    else if (character === ':' && expecting === 'colon') this.expecting = 'value';
    else if (character === ',' && expecting === 'comma_or_end') this.expecting = this.open.at(-1) ? 'name' : 'value';
    else if (value && /[-0-9tfn]/.test(character)) this.word = character;
    else fail(`unexpected ${JSON.stringify(character)}`);
  }

  /** Takes the rest of a string from `from`; returns where it ended, or the end of the text. */
  private inString(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.escaping > 1) {
        if (!/[0-9a-fA-F]/.test(text[at] as string)) fail('an escape is malformed');
        this.escaping -= 1;
        if (this.escaping === 1) this.escaping = 0;
      } else if (this.escaping === 1) {
        if (!'"\\/bfnrtu'.includes(text[at] as string)) fail('an escape is malformed');
        this.escaping = text[at] === 'u' ? 5 : 0;
      } else if (code === 0x22) {
        if (this.string === 'name') this.expecting = 'colon';
        else this.valueEnded();
        this.string = undefined;
        return at;
      } else if (code === 0x5c) this.escaping = 1;
      else if (code < 0x20) fail('a control character is not escaped');
    }
    return text.length;
  }

  private wordEnded(text: string): void {
    const literal = LITERALS[text[0] as string];
    if (literal === undefined ? !NUMBER.test(text) : literal !== text) fail('a value is malformed');
    this.word = undefined;
    this.valueEnded();
  }

  private enter(object: boolean): void {
    if (this.open.length === MAX_JSON_DEPTH) fail(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.open.push(object);
    this.expecting = object ? 'name_or_end' : 'value_or_end';
  }

  private leave(object: boolean): void {
    const empty = this.expecting === (object ? 'name_or_end' : 'value_or_end');
    if (this.open.at(-1) !== object || !(empty || this.expecting === 'comma_or_end')) fail('a bracket does not fit');
    this.open.pop();
    this.valueEnded();
  }

  private valueEnded(): void {
    this.expecting = this.open.length === 0 ? 'nothing' : 'comma_or_end';
  }
}
