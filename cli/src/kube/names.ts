import { createHash } from 'node:crypto';

/** Names under which a release keeps what the CLI reads or changes; all lie in its namespace. */
export const releaseNames = (release: string) => ({
  gatewayService: `${release}-gateway`,
  principals: `${release}-principals`,
  /** Holds a tenant's operator token under the key `token`. */
  operator: (tenant: string): string =>
    `${release}-operator-${createHash('sha256').update(tenant).digest('hex').slice(0, 10)}`,
});

/** ConfigMap with the CA bundle under `ca.crt`. */
export const TRUST_CONFIG_MAP = 'aip-trust';

/** Label of the Secrets that hold operator tokens. */
export const OPERATOR_LABEL = 'fleet.aip.dev/operator=true';

/** Annotation of such a Secret: the tenant itself, which a name can't hold. */
export const TENANT_ANNOTATION = 'fleet.aip.dev/tenant';

/** Labels of the Services of gateways. */
export const GATEWAY_LABELS = 'app.kubernetes.io/part-of=aip-fleet,app.kubernetes.io/component=gateway';
