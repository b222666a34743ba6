import { expect } from 'vitest';
import type { ErrorCode } from '#runtime/protocol/errors.js';

/** Matches an error by its code, as `toThrow` and `toEqual` take it. */
export const withCode = (code: ErrorCode): unknown => expect.objectContaining({ code });
