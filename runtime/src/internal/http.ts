/** The HTTP server for sibling packages. */
export { readBody } from '../transport/http/body.js';
export { sendDirectError, sendJson } from '../transport/http/error-response.js';
export { type HttpServer, listen, type TlsFiles } from '../transport/http/server.js';
