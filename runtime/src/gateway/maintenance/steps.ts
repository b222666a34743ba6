/** Steps that run one after the other, each although an earlier one failed. */
export interface Steps {
  /** Runs a step, unless the signal has fired; undefined when it failed or did not run. */
  run<T>(step: () => Promise<T>): Promise<T | undefined>;
  /** Throws what failed, several failures as one. */
  end(): void;
}

/** No step has run yet. */
export function openSteps(signal?: AbortSignal): Steps {
  const errors: unknown[] = [];
  return {
    run: async (step) => {
      if (signal?.aborted) return undefined;
      try {
        return await step();
      } catch (error) {
        errors.push(error);
        return undefined;
      }
    },
    end: () => {
      if (errors.length === 1) throw errors[0];
      const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
      if (errors.length > 1) throw new AggregateError(errors, [...new Set(messages)].join('; '));
    },
  };
}
