import { type Certificate, readCertificates } from './certificates/certificate.js';
import { DATA, type KeyRole } from './names.js';
import type { ConfigMapObject } from './objects.js';

/** What the ConfigMap `aip-trust` says: whom everybody in the fleet trusts. */
export interface TrustBundle {
  readonly authorities: readonly Certificate[];
  /** did:keys, the active one first. */
  readonly dids: Readonly<Record<KeyRole, readonly string[]>>;
}

/** The bundle as a ConfigMap's data: certificates one after the other, a DID a line. */
export function bundleData(bundle: TrustBundle): Record<string, string> {
  return {
    [DATA.caCert]: bundle.authorities.map(({ pem }) => pem).join(''),
    [DATA.controlPlaneDids]: lines(bundle.dids['control-plane']),
    [DATA.gatewayDids]: lines(bundle.dids.gateway),
  };
}

/** The bundle of a ConfigMap; what cannot be read counts as not there, since it is written again. */
export function readBundle(configMap: ConfigMapObject): TrustBundle {
  const data = configMap.data ?? {};
  return {
    authorities: readableCertificates(data[DATA.caCert] ?? ''),
    dids: {
      'control-plane': readDids(data[DATA.controlPlaneDids] ?? ''),
      gateway: readDids(data[DATA.gatewayDids] ?? ''),
    },
  };
}

/** What every did:key of an Ed25519 key looks like. Whether it is a point of the curve is for those to check who trust it: that takes a ms. */
const DID = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;

/** The did:keys of a text with one a line; other lines are left out. */
export function readDids(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => DID.test(line));
}

/** A text with one entry a line. */
export function lines(entries: readonly string[]): string {
  return entries.map((entry) => `${entry}\n`).join('');
}

function readableCertificates(text: string): Certificate[] {
  try {
    return readCertificates(text);
  } catch {
    return [];
  }
}
