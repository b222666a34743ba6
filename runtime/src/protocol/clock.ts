/** Milliseconds since the Unix epoch. Passed to everything that needs the time, so that tests can hold it. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = Date.now;
