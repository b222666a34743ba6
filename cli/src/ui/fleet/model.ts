/** State outside of React that a view subscribes to. */
export interface Model<State> {
  get(): State;
  subscribe(listener: () => void): () => void;
  change(change: (state: State) => Partial<State>): void;
}

/** Makes a model; every change makes a new state object. */
export function openModel<State extends object>(initial: State): Model<State> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change: (make) => {
      state = { ...state, ...make(state) };
      for (const listener of listeners) listener();
    },
  };
}
