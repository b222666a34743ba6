/** Whether a statement failed because another one, which committed meanwhile, wrote a row of the same key. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '23505';
}
