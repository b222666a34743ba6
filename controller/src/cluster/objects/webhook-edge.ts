import type { Env } from '@aip/runtime/internal/program';

/** How deliveries of providers reach the hosts from outside (chart value `webhooks`). */
export interface WebhookEdge {
  /** Host name that instances without one of their own share. */
  readonly host?: string | undefined;
  readonly ingress?: { className: string; annotations: Record<string, string>; tlsSecret: string } | undefined;
  readonly httpRoute?: { parentRefs: object[]; annotations: Record<string, string> } | undefined;
  /** NetworkPolicy peers that may reach the webhook port. */
  readonly from: readonly object[];
}

/** The JSON of WEBHOOKS; no edge when it is not set. Throws StartupRefused for other text. */
export function webhookEdgeOf(read: Env): WebhookEdge {
  const text = read.text('WEBHOOKS');
  if (text === undefined) return { from: [] };
  try {
    const { host, ingress, httpRoute, from = [] } = JSON.parse(text) as Partial<WebhookEdge>;
    if (Array.isArray(from)) return { host: host === '' ? undefined : host, ingress, httpRoute, from };
  } catch {
    // not JSON
  }
  throw read.refuse('WEBHOOKS', 'must be JSON with host, ingress, httpRoute and from');
}
