import { until } from '../../../support/until.ts';
import type { ApiServer } from './api-server.ts';

const ESTABLISHED_MS = 30_000;

interface Definition {
  /** Conditions are null until the API server has checked a new definition; `kubectl wait` fails on that. */
  status?: { conditions: { type: string; status: string }[] | null };
}

/** Waits until the API server serves every custom resource that is defined. */
export async function established(api: Pick<ApiServer, 'kubectl'>): Promise<void> {
  const all = async (): Promise<boolean> => {
    const { items } = JSON.parse(await api.kubectl(['get', 'crd', '-o', 'json'])) as { items: Definition[] };
    return items.every(({ status }) =>
      status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True'),
    );
  };
  await until('every definition is established', all, ESTABLISHED_MS);
}
