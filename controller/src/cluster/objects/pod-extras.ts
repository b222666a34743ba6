import { containerBase, type PodSettings } from './pod-parts.js';

/** What a sidecar requests when the instance says nothing. */
const SIDECAR_RESOURCES = { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } };
/** Prefix by which volumes and containers of the user never meet the fleet's own. */
const PREFIX = 'user-';
/** For the group alone, as the fleet's own files. */
const OWNER_ONLY = 0o440;
/** A host that is process 1 of its container ignores signals until it has loaded: it gets this long before the first one, in s. */
const LOADING_SECONDS = 5;

/** What the user adds to the Pod of a host: each member is put beside the fleet's own. */
export interface HostExtras {
  spec: Record<string, unknown>;
  container: Record<string, unknown>;
  graceSeconds: number;
  env: readonly object[];
  volumes: readonly object[];
  volumeMounts: readonly object[];
}

/** What `spec.pod` adds to the Pod of a host. A sidecar shares no process namespace with the host, whose files it could read there. */
export function hostExtras(settings: PodSettings): HostExtras {
  const { serviceAccountName, env = [], volumes = [], volumeMounts = [], sidecars = [] } = settings;
  const isolated = sidecars.length > 0;
  return {
    spec: {
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
      shareProcessNamespace: !isolated,
      ...(isolated ? { initContainers: sidecars.map(sidecarContainer) } : {}),
    },
    container: isolated ? { lifecycle: { preStop: { sleep: { seconds: LOADING_SECONDS } } } } : {},
    graceSeconds: isolated ? LOADING_SECONDS : 0,
    env,
    volumes: volumes.map(({ name, secret, ...kind }) => ({
      name: PREFIX + name,
      ...kind,
      ...(secret ? { secret: { ...secret, defaultMode: OWNER_ONLY } } : {}),
    })),
    volumeMounts: volumeMounts.map(mount),
  };
}

/** Is this the name of a user's volume in a Pod? */
export function isUserVolume(name: string): boolean {
  return name.startsWith(PREFIX);
}

type Sidecar = NonNullable<PodSettings['sidecars']>[number];
type Mount = NonNullable<PodSettings['volumeMounts']>[number];

/** An init container that is restarted: it starts before the host, and ends after it. */
function sidecarContainer({ name, resources = SIDECAR_RESOURCES, volumeMounts = [], ...given }: Sidecar): object {
  return {
    name: PREFIX + name,
    ...given,
    restartPolicy: 'Always',
    ...containerBase({ resources }),
    volumeMounts: volumeMounts.map(mount),
  };
}

function mount({ name, ...given }: Mount): object {
  return { name: PREFIX + name, ...given };
}
