/** The API server's MicroTime: RFC 3339 in UTC with exactly six digits of fraction. `ms` since the epoch. */
export function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
