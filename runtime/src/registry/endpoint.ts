const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Why a text is not a public endpoint of a connector host, or undefined: an absolute URL that ends exactly in /aip/v1/messages, without
 * credentials, query or fragment; https, or http on loopback where that is allowed (docs/protocol/host.md#checks).
 */
export function endpointProblem(text: string, allowLoopbackHttp: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'the endpoint is not an absolute URL';
  if (url.username !== '' || url.password !== '') return 'the endpoint may hold no credentials';
  if (text.includes('?') || text.includes('#')) return 'the endpoint may hold no query or fragment';
  if (url.pathname !== '/aip/v1/messages') return 'the path of the endpoint must be exactly /aip/v1/messages';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return 'the endpoint must be an https URL';
  if (!LOOPBACK.has(url.hostname)) return 'the endpoint must be an https URL; http is for loopback development only';
  return allowLoopbackHttp ? undefined : 'http on loopback must be enabled explicitly';
}
