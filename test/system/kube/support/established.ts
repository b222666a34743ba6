import { until } from '../../../support/until.ts';
import type { ApiServer } from './api-server.ts';

interface Definition {
  metadata: { name: string };
  /** Null until the API server has looked at a definition, where `kubectl wait` fails instead of waiting. */
  status?: { conditions: { type: string; status: string }[] | null };
}

/** Waits until the API server serves every custom resource that is defined. */
export async function established(api: Pick<ApiServer, 'kubectl'>): Promise<void> {
  await until('every definition is established', async () => {
    const { items } = JSON.parse(await api.kubectl(['get', 'crd', '-o', 'json'])) as { items: Definition[] };
    return items.every(({ status }) =>
      status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True'),
    );
  });
}
