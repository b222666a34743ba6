import { NamedError } from '@aip/runtime/internal/protocol';
import { digestOf } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { KINDS } from '../../api/kinds.js';
import { type AdmissionResult, admissionFrom, inlineDescription, secretFiles } from '../../fleet/admission.js';
import { type DescribedConnector, DescribeFailed, parseDescription, refusalText } from '../../fleet/described.js';
import type { Kube } from '../../kube/kube.js';
import { DESCRIBE_CONTAINER, describeConfigMap, describePod, isDescribePod } from '../objects/describe-pod.js';
import type { Pod } from '../objects/host-pod.js';
import { describeName } from '../objects/names.js';
import type { Ensure } from '../provision/ensure.js';
import { describeProgress } from './description.js';
import { storedDescriptions } from './stored.js';

/** A manifest has at most 4 MiB; its description a little more. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;
/** How many descriptions are kept in memory. */
const MAX_KEPT = 1000;

/** The describing Pod was ended from outside; asking again may succeed. */
export class DescribeInterrupted extends NamedError {
  constructor(message: string) {
    super(message);
  }
}

/** What connectors say about themselves. */
export interface Descriptions {
  /** The admission of an instance as it is now; undefined while its connector was not asked, or has not answered. Throws DescribeInterrupted. */
  find(instance: ConnectorInstance, pods: ReadonlyMap<string, Pod>): Promise<AdmissionResult | undefined>;
  /** Asks the connector: makes the Pod unless it is there. */
  ask(instance: ConnectorInstance): Promise<void>;
}

/** Asks by Pods and keeps the answers in a ConfigMap of the instance, so that a new leader need not ask again. */
export function openDescriptions({
  kube,
  ensure,
  runtimeImage,
  trustDomain,
}: {
  kube: Kube;
  ensure: Ensure;
  runtimeImage: string;
  trustDomain: string;
}): Descriptions {
  const kept = new Map<string, { result: AdmissionResult; described: DescribedConnector | undefined }>();
  const stored = storedDescriptions({ kube, ensure });
  /** What a Pod waits for, as it was first reported: a kubelet says the same alternately in two ways, which is not news. By uid of the Pod. */
  const blocked = new Map<string, { reason: string; message: string }>();
  const settings = { runtimeImage, trustDomain };
  const keep = (source: string, result: AdmissionResult, described?: DescribedConnector): AdmissionResult => {
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(source, { result, described });
    return result;
  };
  const cleanUp = async ({ metadata: { namespace, name, uid } }: Pod): Promise<void> => {
    blocked.delete(uid as string);
    await kube.delete(KINDS.pod, { namespace, name }, { graceSeconds: 0 });
    await kube.delete(KINDS.configMap, { namespace, name });
  };
  /** Pods whose answer is of no use any more: the question has changed, or another instance had the answer first. */
  const takeBack = async (pods: ReadonlyMap<string, Pod>, but?: string): Promise<void> => {
    for (const pod of pods.values()) {
      if (isDescribePod(pod) && pod.metadata.name !== but && pod.metadata.deletionTimestamp === undefined)
        await cleanUp(pod);
    }
  };

  const answer = async (
    instance: ConnectorInstance,
    source: string,
    pod: Pod,
  ): Promise<AdmissionResult | undefined> => {
    const progress = describeProgress(pod);
    if (progress.state === 'running') return undefined;
    const uid = pod.metadata.uid as string;
    if (progress.state === 'blocked') {
      const before = blocked.get(uid);
      const { reason, message } = before?.reason === progress.reason ? before : progress;
      blocked.set(uid, { reason, message });
      return { ok: false, source, reason, message };
    }
    if (progress.state === 'interrupted') {
      await cleanUp(pod);
      throw new DescribeInterrupted(progress.message);
    }
    const log = await kube.podLog(pod.metadata, { container: DESCRIBE_CONTAINER, limitBytes: MAX_LOG_BYTES });
    let result: AdmissionResult;
    let described: DescribedConnector | undefined;
    try {
      if (progress.state === 'refused')
        throw new DescribeFailed(refusalText(log, 'the connector ended with an error and said nothing'));
      described = parseDescription(log, instance.spec.connector.type);
      result = admissionOf(instance, source, settings, described);
      await stored.write(instance, source, described);
    } catch (error) {
      if (!(error instanceof DescribeFailed)) throw error;
      result = refused(source, error);
    }
    await cleanUp(pod);
    return keep(source, result, result.ok ? described : undefined);
  };

  return {
    find: async (instance, pods) => {
      const source = sourceOf(instance, settings);
      const own = describeName(instance.metadata.name, source);
      const known = kept.get(source);
      await takeBack(pods, known ? undefined : own);
      if (known) {
        // A later controller asks no connector again of which another instance had the answer.
        if (known.described) await stored.keep(instance, source, known.described);
        return known.result;
      }
      if (instance.spec.hosting === 'External') {
        try {
          return keep(source, admissionOf(instance, source, settings, inlineDescription(instance)));
        } catch (error) {
          return keep(source, refused(source, error));
        }
      }
      const pod = pods.get(own);
      if (pod && pod.metadata.deletionTimestamp === undefined) return answer(instance, source, pod);
      const described = await stored.find(instance, source);
      return described && keep(source, admissionOf(instance, source, settings, described), described);
    },
    ask: async (instance) => {
      const source = sourceOf(instance, settings);
      await ensure.applied(KINDS.configMap, instance, describeConfigMap(instance, source));
      await ensure.created(KINDS.pod, instance, describePod(instance, source, imageOf(instance, settings)));
    },
  };
}

/** What the description of a connector depends on beside its instance. */
interface DescribeSettings {
  readonly runtimeImage: string;
  readonly trustDomain: string;
}

function imageOf({ spec }: ConnectorInstance, { runtimeImage }: DescribeSettings): string {
  return spec.connector.image ?? runtimeImage;
}

/** A digest of all that the description of an instance's connector follows from. */
function sourceOf(instance: ConnectorInstance, settings: DescribeSettings): string {
  const { connector, config, hosting, events } = instance.spec;
  const files = secretFiles(instance);
  const given = files.length > 0 ? { secret_files: files, events } : {};
  const image = imageOf(instance, settings);
  return digestOf({ connector, config, hosting, image, trust_domain: settings.trustDomain, ...given } as never);
}

/** What follows from a description for the admission of its instance. */
function admissionOf(
  instance: ConnectorInstance,
  source: string,
  settings: DescribeSettings,
  described: DescribedConnector,
): AdmissionResult {
  const { trustDomain } = settings;
  const artifactDigest = instance.spec.connector.artifactDigest ?? artifactDigestOf(imageOf(instance, settings));
  try {
    return { ok: true, source, admission: admissionFrom(instance, described, { trustDomain, artifactDigest }) };
  } catch (error) {
    if (error instanceof DescribeFailed) return refused(source, error);
    throw error;
  }
}

function refused(source: string, error: unknown): AdmissionResult {
  return { ok: false, source, message: error instanceof Error ? error.message : String(error) };
}

/** An image is known by its digest; one named by a tag by the name itself. */
export function artifactDigestOf(image: string): string {
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1];
  return digest ?? digestOf({ image });
}
