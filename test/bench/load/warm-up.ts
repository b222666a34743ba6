import { scaled } from '../measure/scaled.ts';
import type { LoopOrder } from './closed-loop.ts';

/**
 * A load that is not measured, for each program that takes calls. Its end is a number of calls, so that a slow machine compiles as much as a quick one:
 * the compiler threads of a gateway take 0.25 ms of CPU an action at first, and next to nothing after some 20,000.
 */
export const WARM_UP: Omit<LoopOrder, 'urls'> = { inFlight: 64, seconds: 300, calls: scaled(25_000) };
