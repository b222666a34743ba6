/** Namespace in which only Pods of the restricted standard may run. */
export function restrictedNamespace(name: string): object {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

export function deployment(name: string, image: string, command: readonly string[]): object {
  return workload('apps/v1', 'Deployment', name, {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: template(name, { containers: [container(image, { command })] }),
  });
}

export function service(name: string, port: number): object {
  return workload('v1', 'Service', name, { selector: { app: name }, ports: [{ port }] });
}

export function job(name: string, image: string, command: readonly string[]): object {
  return workload('batch/v1', 'Job', name, {
    backoffLimit: 0,
    template: template(name, { restartPolicy: 'Never', containers: [container(image, { command })] }),
  });
}

export interface StatefulSetOptions {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: number;
}

/** One Pod with a volume of the default class at /data. */
export function statefulSet(name: string, image: string, { user = 65532, ...options }: StatefulSetOptions): object {
  const mounted = { ...container(image, options), volumeMounts: mounts('data', 'tmp', 'run') };
  return workload('apps/v1', 'StatefulSet', name, {
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: template(
      name,
      {
        terminationGracePeriodSeconds: 10,
        containers: [mounted],
        volumes: [
          { name: 'tmp', emptyDir: {} },
          { name: 'run', emptyDir: {} },
        ],
      },
      user,
    ),
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  });
}

const PATHS: Readonly<Record<string, string>> = { data: '/data', tmp: '/tmp', run: '/var/run/postgresql' };

function mounts(...names: string[]): object[] {
  return names.map((name) => ({ name, mountPath: PATHS[name] }));
}

function container(image: string, { command, args, env = {} }: Omit<StatefulSetOptions, 'user'>): object {
  return {
    name: 'main',
    image,
    ...(command ? { command } : {}),
    ...(args ? { args } : {}),
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

function template(name: string, spec: object, user = 65532): object {
  const securityContext = {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    // Else the group gets rights to all files again at every start, and PostgreSQL refuses a folder that others can read.
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  };
  return {
    metadata: { labels: { app: name } },
    spec: { securityContext, automountServiceAccountToken: false, ...spec },
  };
}

function workload(apiVersion: string, kind: string, name: string, spec: object): object {
  return { apiVersion, kind, metadata: { name, namespace: 'sea' }, spec };
}
