import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { until } from '../../../support/until.ts';
import type { Caller } from './fixture.ts';

/** One frame as it came over the wire; `comment` for a keep-alive. */
export interface Frame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: Record<string, unknown>;
  readonly comment?: string;
}

/** A page that was read without follow. */
export async function page<T = Record<string, unknown>>(
  url: string,
  caller: Caller = 'owner',
  headers: Record<string, string> = {},
): Promise<{ status: number; body: T; text: string; type: string | null }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${caller}`, ...headers } });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as T, text, type: response.headers.get('content-type') };
}

/** An open follow stream. */
export interface OpenStream {
  readonly status: number;
  readonly type: string | undefined;
  /** Everything received so far; comments included. */
  readonly frames: Frame[];
  /** Frames of one name. */
  named(event: string): Frame[];
  /** Ids of all event frames, in order: those whose data has a member event. */
  eventIds(): string[];
  chunkIds(): string[];
  /** The stream was ended by the server. */
  readonly ended: Promise<void>;
  waitFor(what: string, state: (stream: OpenStream) => unknown, timeoutMs?: number): Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a follow stream and collects its frames. */
export function open(url: string, caller: Caller = 'owner', headers: Record<string, string> = {}): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(url, {
      headers: { authorization: `Bearer ${caller}`, ...headers },
      agent: false,
    });
    request.once('error', reject);
    request.once('response', (response: IncomingMessage) => {
      const frames: Frame[] = [];
      let rest = '';
      const ended = new Promise<void>((done) => response.once('close', done));
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (text: string) => {
        const parts = (rest + text).split('\n\n');
        rest = parts.pop() ?? '';
        frames.push(...parts.map(frameOf));
      });
      const stream: OpenStream = {
        status: response.statusCode ?? 0,
        type: response.headers['content-type'],
        frames,
        named: (event) => frames.filter((frame) => frame.event === event),
        eventIds: () => frames.filter((frame) => frame.data?.event !== undefined).map((frame) => frame.id as string),
        chunkIds: () => frames.filter((frame) => frame.data?.chunk !== undefined).map((frame) => frame.id as string),
        ended,
        waitFor: async (what, state, timeoutMs) => {
          await until(what, () => Boolean(state(stream)), timeoutMs);
        },
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void request.destroy(),
      };
      resolve(stream);
    });
  });
}

function frameOf(text: string): Frame {
  const frame: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    if (line.startsWith(':')) frame.comment = line.slice(1).trim();
    else if (line.startsWith('data: ')) frame.data = JSON.parse(line.slice(6));
    else frame[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 2);
  }
  return frame as Frame;
}
