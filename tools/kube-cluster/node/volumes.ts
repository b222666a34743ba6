import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_NAME } from './kubelet.ts';

/** Volumes that claims can be bound to. */
export const VOLUMES = 16;

/**
 * The default StorageClass `standard` and its volumes: folders of the node, made beforehand and of kind `local`, so that fsGroup works as with a real
 * driver. A claim of any size up to 100Gi gets one when its first Pod is scheduled; a volume is not used twice.
 */
export function storageObjects(folder: string): object {
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const volumes = volumeNames().map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      storageClassName: 'standard',
      capacity: { storage: '100Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path: join(folder, 'volumes', name) },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE_NAME] }] },
          ],
        },
      },
    },
  }));
  return { apiVersion: 'v1', kind: 'List', items: [storageClass, ...volumes] };
}

/** Makes the folders of the volumes; any user may write into them, as fsGroup is not always asked for. */
export async function createVolumeFolders(folder: string): Promise<void> {
  for (const name of volumeNames()) {
    const path = join(folder, 'volumes', name);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
  }
}

function volumeNames(): string[] {
  return Array.from({ length: VOLUMES }, (_, index) => `volume-${index + 1}`);
}
