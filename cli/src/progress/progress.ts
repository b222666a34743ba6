import { styleText } from 'node:util';
import { isInteractive } from './interactive.js';

/** A terminal that has shown nothing new for this long gets a line that says what is under way, in ms. */
const AFTER_MS = 600;
const FRAME_MS = 120;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const LINE_FEED = 10;
const ERASE = '\r\u001b[2K';

type Write = NodeJS.WriteStream['write'];

/**
 * One moving line on standard error while a command waits. It is shown only where both outputs are terminals that can redraw a line, and erased
 * before anything else is written, so that it never mixes with the answer.
 */
class Progress {
  #text = 'Working';
  #begunAt = 0;
  #frame = 0;
  #shown = false;
  #paused = false;
  #timer: NodeJS.Timeout | undefined;
  #restore: (() => void) | undefined;

  /** From now on a wait is shown. */
  begin(): void {
    if (this.#restore || !isInteractive(process.stdout, process.env) || process.stderr.isTTY !== true) return;
    const [out, err] = [watched(process.stdout, this), watched(process.stderr, this)];
    const erase = (): void => this.#erase();
    process.once('exit', erase);
    this.#restore = () => {
      process.off('exit', erase);
      out();
      err();
    };
    this.#begunAt = performance.now();
    this.#arm();
  }

  /** Says what is waited for from now on. */
  about(text: string): void {
    this.#text = text;
  }

  /** Shows nothing more: what follows draws on the terminal itself, or is a stream whose silence is no wait. */
  pause(): void {
    this.#paused = true;
    this.#erase();
  }

  /** The command has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#erase();
    this.#restore?.();
    this.#restore = undefined;
  }

  /** Something else is about to be written. An unfinished line is a question, which only its answer ends. */
  wrote(text: string | Uint8Array): void {
    this.#erase();
    const last = text.at(-1);
    if (last === '\n' || last === LINE_FEED) this.#arm();
    else clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (!this.#paused) this.#timer = setTimeout(() => this.#draw(), AFTER_MS).unref();
  }

  #draw(): void {
    if (this.#paused || !this.#restore) return;
    const spent = Math.round((performance.now() - this.#begunAt) / 1000);
    const mark = FRAMES[this.#frame++ % FRAMES.length] as string;
    const aside = spent > 0 ? ` ${spent}s` : '';
    const room = Math.max(0, (process.stderr.columns ?? 80) - 3 - aside.length);
    const text = this.#text.length > room ? `${this.#text.slice(0, Math.max(0, room - 1))}…` : this.#text;
    const line = `${ERASE}${styled('cyan', mark)} ${text}${styled('dim', aside)}`;
    this.#shown = true;
    this.#raw(line);
    this.#timer = setTimeout(() => this.#draw(), FRAME_MS).unref();
  }

  #erase(): void {
    if (!this.#shown) return;
    this.#shown = false;
    clearTimeout(this.#timer);
    this.#raw(ERASE);
  }

  /** Writes to standard error without the watch on it taking notice. */
  #raw(text: string): void {
    Object.getPrototypeOf(process.stderr).write.call(process.stderr, text);
  }
}

function styled(format: 'cyan' | 'dim', text: string): string {
  return styleText(format, text, { stream: process.stderr, validateStream: true });
}

/** Reports what is written to a stream; gives back what ends that. */
function watched(stream: NodeJS.WriteStream, progress: Progress): () => void {
  const before = stream.write;
  stream.write = function (this: NodeJS.WriteStream, ...args: Parameters<Write>): boolean {
    progress.wrote(args[0]);
    return before.apply(stream, args);
  } as Write;
  return () => {
    stream.write = before;
  };
}

/** The progress of this process's one command. */
export const progress = new Progress();
