import type { ConnectorInstance } from '../../api/connector-instance.js';
import { keyOf, shownName } from '../../api/metadata.js';
import { type AdmissionResult, admissionSource } from '../../fleet/admission.js';
import { admissionOf } from '../admission.js';
import type { RunStage } from '../stages.js';
import type { LocalState } from '../state/store.js';

/** Begins to describe the connectors of all instances, each once and in a stage of its own; the descriptions by their source. */
export function describeConnectors(
  state: LocalState,
  stage: RunStage,
  options: Parameters<typeof admissionOf>[1],
): Map<string, Promise<AdmissionResult>> {
  const admissions = new Map<string, Promise<AdmissionResult>>();
  for (const { resource, deleted } of Object.values(state.instances)) {
    const source = admissionSource(resource);
    if (deleted || admissions.has(source)) continue;
    admissions.set(source, describedIn(stage, `connector of ${shownName(keyOf(resource))}`, resource, options));
  }
  return admissions;
}

/** Describes a connector in a stage of its own, which fails when the connector does; the result says why. */
async function describedIn(
  stage: RunStage,
  name: string,
  resource: ConnectorInstance,
  options: Parameters<typeof admissionOf>[1],
): Promise<AdmissionResult> {
  let result: AdmissionResult | undefined;
  const work = async (): Promise<AdmissionResult> => {
    result = await admissionOf(resource, options);
    if (!result.ok) throw new Error(result.message);
    return result;
  };
  return stage(name, `describing connector ${resource.spec.connector.type}`, work).catch((error: unknown) => {
    if (result) return result;
    throw error;
  });
}
