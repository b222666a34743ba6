import { KINDS } from '../api/kinds.js';
import { KubeForbidden } from '../kube/client/errors.js';
import type { Kube } from '../kube/kube.js';

/**
 * Whether a release (`namespace/name`) was uninstalled: the Service of its control planes is gone. One that only stopped, for a restore perhaps,
 * has it. False where this release has no right to see that.
 */
export async function isReleaseGone(release: string, kube: Pick<Kube, 'exists'>): Promise<boolean> {
  const [namespace, name] = release.split('/');
  if (!namespace || !name) return false;
  try {
    return !(await kube.exists(KINDS.service, { namespace, name: `${name}-control-plane` }));
  } catch (error) {
    if (error instanceof KubeForbidden) return false;
    throw error;
  }
}
