/** What one look found. `skip`: it could not be checked, because of what an earlier line says. */
export interface Finding {
  /** What was checked, in a word or two. */
  check: string;
  verdict: 'ok' | 'warn' | 'fail' | 'skip';
  message: string;
  /** What to do; only with `warn` and `fail`. */
  advice?: string;
}

/** Shorthands for the verdicts. */
export const finding = {
  ok: (check: string, message: string): Finding => ({ check, verdict: 'ok', message }),
  warn: (check: string, message: string, advice: string): Finding => ({ check, verdict: 'warn', message, advice }),
  fail: (check: string, message: string, advice: string): Finding => ({ check, verdict: 'fail', message, advice }),
  skip: (check: string, message: string): Finding => ({ check, verdict: 'skip', message }),
};
