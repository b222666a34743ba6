import { databaseSecretName, identitySecretName, templateConfigMapName } from './names.js';
import type { HostExtras } from './pod-extras.js';
import type { Template } from './template.js';

const OWNER_ONLY = 0o440;

/** Where the volumes are mounted that a host reads as they are. */
export const OWN_MOUNTS: readonly object[] = [
  { name: 'run', mountPath: '/run/aip' },
  { name: 'trust', mountPath: '/etc/aip/trust', readOnly: true },
  { name: 'config', mountPath: '/etc/aip/config', readOnly: true },
];

/** The volumes whose files a host copies into its memory volume: the kubelet mounts secrets as links of root's. */
export function importedVolumes({ secrets }: Template['launch']): string[] {
  return ['identity', 'database', ...(secrets.length > 0 ? ['secrets'] : [])];
}

/** The volumes of a host's Pod. */
export function hostVolumes(
  { replica, instance, hash }: { replica: string; instance: string; hash: string },
  { launch }: Template,
  { trustConfigMap, extras }: { trustConfigMap: string; extras: HostExtras },
): object[] {
  return [
    { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
    { name: 'trust', configMap: { name: trustConfigMap } },
    {
      name: 'config',
      configMap: {
        name: templateConfigMapName(instance, hash),
        items: [{ key: 'config.json', path: 'config.json' }],
      },
    },
    secretVolume('identity', identitySecretName(replica)),
    secretVolume('database', databaseSecretName(instance)),
    ...(launch.secrets.length > 0 ? [connectorSecrets(launch)] : []),
    ...extras.volumes,
  ];
}

function secretVolume(name: string, secretName: string): object {
  return { name, secret: { secretName, defaultMode: OWNER_ONLY } };
}

/** The secrets of the connector in one folder, each under the name of its file. */
function connectorSecrets({ secrets }: Template['launch']): object {
  const sources = secrets.map(({ file, secretKeyRef }) => ({
    secret: { name: secretKeyRef.name, items: [{ key: secretKeyRef.key, path: file }] },
  }));
  return { name: 'secrets', projected: { defaultMode: OWNER_ONLY, sources } };
}
