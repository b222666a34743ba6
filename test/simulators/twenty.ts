import { parseArgs } from 'node:util';
import type { HonestAnswer } from './behavior.ts';
import { type ProviderRequest, runSimulator } from './simulator.ts';

/**
 * A Twenty workspace: both OpenAPI routes, the metadata routes, and the two ways in which it judges a token. Start it with
 * `node test/simulators/twenty.ts --port 3000 --token T`.
 */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, token: { type: 'string', default: 'twenty-api-key' } },
});
const ROUTES = /^\/(?:rest\/)?open-api\/(core|metadata)$/;
const METADATA = /^\/rest\/metadata\/([A-Za-z]+)(?:\/([0-9a-fA-F-]{36}))?$/;

runSimulator({ credential: { header: 'authorization', value: `Bearer ${values.token}` }, handle }, Number(values.port));

function handle({ method, path, credential, body }: ProviderRequest): HonestAnswer {
  const document = ROUTES.exec(path)?.[1];
  // The document routes are public: without a token they answer with a document that has no workspace paths.
  if (document && credential === 'absent')
    return { status: 200, body: { openapi: '3.1.1', info: { title: 'Twenty API' }, paths: {} } };
  if (credential !== 'accepted')
    return { status: 401, body: { statusCode: 401, messages: ['Token invalid.'], error: 'Unauthorized' } };
  if (document && (method === 'GET' || method === 'HEAD')) return { status: 200, body: documentOf(document) };
  const metadata = METADATA.exec(path);
  if (metadata) return metadataReply(method, metadata[1] as string, metadata[2], body);
  return { status: 404, body: { statusCode: 404, messages: [`Cannot ${method} ${path}`], error: 'Not Found' } };
}

function documentOf(kind: string): object {
  return {
    openapi: '3.1.1',
    info: { title: `Twenty ${kind} API`, version: '1.0.0' },
    servers: [{ url: 'https://crm.example/rest' }],
    paths: { '/people': { get: { responses: { 200: { $ref: '#/components/responses/200' } } } } },
    components: { responses: { 200: { description: 'OK' } }, schemas: { Elsewhere: { $ref: 'https://x.example/s' } } },
    'x-numbers': [1.5, -0, 12345678901234567890n.toString()],
  };
}

function metadataReply(method: string, resource: string, id: string | undefined, sent: unknown): HonestAnswer {
  const record = {
    id: id ?? '20202020-0000-4000-8000-000000000001',
    resource,
    ...(sent as object | undefined),
    secret: 'never-to-be-seen',
  };
  if (method === 'POST') return { status: 201, body: { data: record } };
  if (method === 'GET' && id === undefined) return { status: 200, body: { data: { [resource]: [record] } } };
  return { status: 200, body: { data: record } };
}
