import { NamedError } from '@aip/runtime/internal/protocol';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { KINDS } from '../../api/kinds.js';
import type { Admission } from '../../fleet/admission.js';
import { launchOf } from '../../fleet/launch.js';
import type { Kube } from '../../kube/kube.js';
import type { ActiveAuthority } from '../../trust/replicas/active-authority.js';
import { templateConfigMapName } from '../objects/names.js';
import {
  type ConfigMap,
  currentTemplate,
  isSameTemplate,
  type Template,
  templateConfigMap,
  templateDigest,
  templateOf,
} from '../objects/template.js';
import type { Databases } from './databases.js';
import { mustBeOwned } from './ensure.js';

/** What an earlier version of an instance was started with is gone, so that its host cannot start again. */
export class TemplateLost extends NamedError {
  constructor(namespace: string, configMap: string, replica: string) {
    super(
      `the ConfigMap ${namespace}/${configMap} was removed or changed; another replica takes the place of ${replica}`,
    );
  }
}

/** What the replicas of an instance have in common, each requested once a reconcile however many replicas there are. */
export interface Shared {
  /** The authority that signs now; undefined when there is none that can. */
  authority(): Promise<ActiveAuthority | undefined>;
  /** Makes sure of role, schema and Secret of the hosts' database. */
  database(): Promise<void>;
  /**
   * What replicas of a template are made from. The current one is made where it is missing, or made again where it was changed; an earlier one that
   * is gone is undefined. Throws as mustBeOwned.
   */
  template(hash: string): Promise<KeptTemplate | undefined>;
}

/** A template as its ConfigMap holds it. */
export interface KeptTemplate {
  template: Template;
  digest: string;
  /** Whether it is what the instance requests now, so that its content was compared. */
  current: boolean;
}

/** What shared objects are made and read with. */
export interface SharedContext {
  kube: Kube;
  databases: Databases;
  authority(): Promise<ActiveAuthority | undefined>;
  runtimeImage: string;
}

/** What a reconcile of an instance shares. Nothing is read yet. */
export function openShared(
  round: { instance: ConnectorInstance; configRevision: number; admission: Admission | undefined },
  cluster: SharedContext,
): Shared {
  const { instance } = round;
  const templates = new Map<string, Promise<KeptTemplate | undefined>>();
  return {
    authority: once(() => cluster.authority()),
    database: once(() => cluster.databases.ensure(instance)),
    template: (hash) => {
      const known = templates.get(hash) ?? templateNamed(hash, round, cluster);
      templates.set(hash, known);
      return known;
    },
  };
}

async function templateNamed(
  hash: string,
  { instance, configRevision, admission }: Parameters<typeof openShared>[0],
  { kube, runtimeImage }: Parameters<typeof openShared>[1],
): Promise<KeptTemplate | undefined> {
  const { namespace, name, uid } = instance.metadata;
  const kept = (configMap: ConfigMap, current: boolean): KeptTemplate | undefined => {
    const template = templateOf(configMap);
    return template && { template, digest: templateDigest(configMap), current };
  };
  const ref = { namespace, name: templateConfigMapName(name, hash) };
  const present = await kube.get<ConfigMap>(KINDS.configMap, ref);
  if (present) await mustBeOwned(kube, KINDS.configMap, present, instance);
  if (!admission || hash !== currentTemplate(instance, runtimeImage)) return present && kept(present, false);
  const launch = launchOf(instance, { uid: uid as string, configRevision, admission });
  const image = instance.spec.connector.image ?? runtimeImage;
  const wanted = templateConfigMap(instance, hash, { launch, image, pod: instance.spec.pod });
  if (present && isSameTemplate(present, wanted)) return kept(present, true);
  // It is immutable; whoever may write ConfigMaps may delete it and make another one, which must not decide what runs here.
  if (present) await kube.delete(KINDS.configMap, ref, { uid: present.metadata.uid });
  return kept(await kube.create(KINDS.configMap, wanted), true);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= work();
    return asked;
  };
}
