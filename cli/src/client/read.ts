import type { Gateway } from '@aip/runtime/internal/gateway';

/** Reads one resource of the client API. `T` is what the route answers. */
export async function read<T>(
  gateway: Gateway,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Promise<T> {
  return (await gateway.request({ path, query })) as T;
}

/** An id as a part of a path. */
export function segment(id: string): string {
  return encodeURIComponent(id);
}
