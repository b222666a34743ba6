import type { FollowView } from '../../follow-session.js';
import { isInteractive } from '../../progress/interactive.js';
import { progress } from '../../progress/progress.js';
import { followJson, followLines } from './lines.js';

/** The view that fits: JSON lines when asked, live on a terminal, plain lines elsewhere. The live one is loaded only when needed. */
export async function openFollowView(actionId: string, json: boolean, capability?: string): Promise<FollowView> {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  if (json) return followJson(write, actionId, capability);
  if (!isInteractive(process.stdout, process.env)) return followLines(write, actionId, capability);
  progress.pause();
  const { followView } = await import('./view.js');
  return followView(actionId, capability);
}
