import { shownName } from '../../api/metadata.js';
import { endedText } from '../process/ended-text.js';
import { type HostTroubles, openHostTroubles } from '../process/host-trouble.js';
import { isFree } from '../process/ports.js';
import { type HostRunner, openHostRunner } from '../process/runner.js';
import type { OnNote } from '../state/note.js';
import type { FleetData } from './data.js';

/** The host processes of a run, and why they ended. */
export interface FleetHosts {
  readonly runner: HostRunner;
  readonly troubles: HostTroubles;
}

/** Opens the runner of hosts; one that ends is started again and noted, and `poke` is called after every change. */
export function openHosts({ logs, record, store }: FleetData, onNote: OnNote, poke: () => void): FleetHosts {
  const troubles = openHostTroubles();
  /** A host whose port another program has taken is replaced by one with another port. */
  const replaceWithoutPort = async (key: string, words: string): Promise<void> => {
    const replica = store.state.replicas[key];
    if (replica?.port === undefined || !words.includes('EADDRINUSE') || (await isFree(replica.port))) return;
    replica.retiring = true;
    onNote(`${shownName(key)} is replaced: another program took its port ${replica.port}`);
    poke();
  };
  const runner = openHostRunner({
    logs,
    record,
    onEnd: (key, ending) => {
      const words = logs.lastWords(`host-${key.replace('/', '.')}`);
      troubles.ended(key, ending, words);
      onNote(endedText(`host ${shownName(key)}`, ending, words));
      void replaceWithoutPort(key, words);
    },
    changed: poke,
  });
  return { runner, troubles };
}
