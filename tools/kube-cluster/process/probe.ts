import http from 'node:http';
import https from 'node:https';
import type { KeyPair } from '../control-plane/certificates.ts';

const TIMEOUT_MS = 2_000;

/** Does GET on the address answer 200 within two seconds? Over HTTPS with a trusted authority and a client certificate. */
export function answersOk(url: string, tls?: { authority: string; client: KeyPair }): Promise<boolean> {
  return new Promise((done) => {
    const options = tls ? { ca: tls.authority, cert: tls.client.cert, key: tls.client.key } : {};
    const request = (tls ? https : http).get(url, { ...options, agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => done(false));
  });
}
