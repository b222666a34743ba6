/** One part of the start, for people and for --verbose. */
export interface Stage {
  /** What is there when it is done. */
  name: string;
  /** What is being done meanwhile. */
  label: string;
  state: 'running' | 'done' | 'failed';
  /** Since the start of everything, in ms. */
  startedAtMs: number;
  /** How long it took or has taken, in ms. */
  ms: number;
}

/** Runs named parts of the start and reports when each begins and ends. */
export function openStages(tell: (stage: Stage) => void, now: () => number = () => performance.now()) {
  const origin = now();
  return async <T>(name: string, label: string, work: () => Promise<T>): Promise<T> => {
    const begun = now();
    const stage = (state: Stage['state']): Stage => ({
      name,
      label,
      state,
      startedAtMs: begun - origin,
      ms: now() - begun,
    });
    tell(stage('running'));
    try {
      const result = await work();
      tell(stage('done'));
      return result;
    } catch (error) {
      tell(stage('failed'));
      throw error;
    }
  };
}

export type RunStage = ReturnType<typeof openStages>;
