import type { ConnectorInstance } from '../api/connector-instance.js';
import { type AdmissionResult, admissionFrom, admissionSource, inlineDescription } from '../fleet/admission.js';
import { describeConnector } from './describe.js';
import { artifactDigest } from './module/artifact-digest.js';

/** Describes the connector with a child process (or takes an External instance's inline manifest) and binds it. Never throws: a failure is part of the answer. */
export async function admissionOf(
  instance: ConnectorInstance,
  options: { trustDomain: string; cacheDir: string; env: NodeJS.ProcessEnv },
): Promise<AdmissionResult> {
  const source = admissionSource(instance);
  try {
    const described =
      instance.spec.hosting === 'External' ? inlineDescription(instance) : await describeConnector(instance, options);
    const artifact = instance.spec.connector.artifactDigest ?? artifactDigest(instance);
    const { trustDomain } = options;
    return {
      ok: true,
      source,
      admission: admissionFrom(instance, described, { trustDomain, artifactDigest: artifact }),
    };
  } catch (error) {
    return { ok: false, source, message: error instanceof Error ? error.message : String(error) };
  }
}
