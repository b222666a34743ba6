/** Types of every protocol record, generated from the definitions in schema/. */
export * from './generated/types.js';
