import type { ServerResponse } from 'node:http';
import { Router } from 'express';
import { type HttpEdgeDeps, serve } from '../../edge/http-edge.js';
import { openApiDocument } from './document.js';
import { openApiPage } from './page.js';

/** Nothing on the page comes from elsewhere, and nothing runs on it. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** GET /aip/v1/openapi.json and its page /aip/v1/docs, without a credential, as the manifest. Both are made at the first request. */
export function openApiRoutes(deps: HttpEdgeDeps): Router {
  let document: string | undefined;
  let page: string | undefined;
  const router = Router();
  serve(router, deps, '/aip/v1/openapi.json', {
    get: (_request, response) => {
      document ??= JSON.stringify(openApiDocument());
      send(response, 'application/json', document);
    },
  });
  serve(router, deps, '/aip/v1/docs', {
    get: (_request, response) => {
      page ??= openApiPage(openApiDocument());
      response.setHeader('content-security-policy', PAGE_POLICY);
      send(response, 'text/html; charset=utf-8', page);
    },
  });
  return router;
}

function send(response: ServerResponse, mediaType: string, text: string): void {
  response.writeHead(200, { 'content-type': mediaType, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
