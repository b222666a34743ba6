import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { open } from './events/stream-client.ts';
import { actionEnvelope } from './support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from './support/process.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'runtime', 'dist', 'main.js');
const TOKEN = 'owner';

/** How long a gateway accepts after its signal, in milliseconds: long enough for what a test does meanwhile on a busy machine. */
const DRAIN_MS = 10_000;

async function start(drainMs = DRAIN_MS): Promise<GatewayProcess> {
  const database = await freshDatabase();
  const gateway = await startGatewayProcess({
    POSTGRES_URL: database.url,
    NATIVE_BEARER_TOKEN: TOKEN,
    NATIVE_PRINCIPAL_SCOPES: '*',
    NATIVE_TENANT_ID: 'acme',
    DRAIN_MS: String(drainMs),
    LOG_LEVEL: 'info',
  });
  onTestFinished(async () => {
    gateway.child.kill('SIGKILL');
    await database.drop();
  });
  return gateway;
}

const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const submit = (url: string): Promise<Response> =>
  fetch(`${url}/aip/v1/messages`, { method: 'POST', headers: HEADERS, body: JSON.stringify(actionEnvelope()) });
const refuses = async (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => false,
    () => true,
  );

/** A request of which the first half is sent; `finish` sends the rest and gives the status and what is said of the connection. */
async function halfSent(url: string): Promise<{ finish: () => Promise<{ status: number; connection: string }> }> {
  const body = JSON.stringify(actionEnvelope());
  const half = body.length >> 1;
  const asked = request(`${url}/aip/v1/messages`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-length': Buffer.byteLength(body) },
    agent: false,
  });
  const answered = new Promise<{ status: number; connection: string }>((done, fail) => {
    asked.once('error', fail).once('response', (response) => {
      const { statusCode = 0, headers } = response;
      response.resume().once('end', () => done({ status: statusCode, connection: headers.connection ?? '' }));
    });
  });
  await new Promise<void>((sent) => asked.write(body.slice(0, half), () => sent()));
  return {
    finish: () => {
      asked.end(body.slice(half));
      return answered;
    },
  };
}

test('a gateway that stops is not ready at once, serves on while that is noticed, then ends its followers, and finishes what is open', async () => {
  const gateway = await start();
  const { url } = gateway;
  const follower = await open(`${url}/aip/v1/events?follow=true`, TOKEN as 'owner');
  const early = await halfSent(url);
  const late = await halfSent(url);
  const ended = gateway.end('SIGTERM');
  await until('it is not ready', async () => (await fetch(`${url}/ready`)).status === 503);
  const accepted = await submit(url);
  expect([accepted.status, accepted.headers.get('connection')]).toEqual([200, 'close']);
  expect(await early.finish()).toEqual({ status: 200, connection: 'close' });
  expect(follower.named('aip.error')).toHaveLength(0);
  await follower.ended;
  const [told] = follower.named('aip.error');
  expect(told?.data).toMatchObject({ error: { code: 'stream.interrupted', retryable: true } });
  await until('it accepts nothing more', () => refuses(url));
  expect((await late.finish()).status).toBe(200);
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('a gateway accepts for as long as AIP_GATEWAY_DRAIN_MS says', async () => {
  const [long, short] = [await start(60_000), await start(0)];
  long.child.kill('SIGTERM');
  await until('it is not ready', async () => (await fetch(`${long.url}/ready`)).status === 503);
  expect(await short.end('SIGTERM')).toEqual({ code: 0, signal: null });
  // The other one ended within the notice of this one, though it was asked later.
  expect((await submit(long.url)).status).toBe(200);
});

test('a program that is still starting ends at once on SIGTERM, also as process 1', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  onTestFinished(() => void silent.close());
  let connected = false;
  silent.once('connection', (socket) => {
    connected = true;
    socket.on('error', () => undefined);
  });
  const child = spawn(process.execPath, [MAIN, 'gateway'], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      AIP_GATEWAY_POSTGRES_URL: `postgres://nobody:none@127.0.0.1:${(silent.address() as AddressInfo).port}/none`,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((done) => child.once('exit', (code, signal) => done({ code, signal })));
  await until('it waits for its database', () => connected);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 143, signal: null });
});

/** Sends actions over one connection as long as it stays open, from the first answer on; returns what broke a connection that was in use. */
async function keepSending(url: string, answered: () => void): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const broken: string[] = [];
  const sendOne = (): Promise<boolean> =>
    new Promise((done) => {
      const asked = request(`${url}/aip/v1/messages`, { method: 'POST', headers: HEADERS, agent });
      asked.once('error', (error: NodeJS.ErrnoException) => {
        // A connection that was just opened belongs to no server yet, and its request can be sent to another one.
        if (asked.reusedSocket) broken.push(`${error.code}: ${error.message}`);
        done(false);
      });
      asked.once('response', (response) => {
        answered();
        response.resume().once('end', () => done(true));
      });
      asked.end(JSON.stringify(actionEnvelope()));
    });
  while (await sendOne());
  agent.destroy();
  return broken;
}

test('a gateway that stops while 50 clients send over kept connections breaks none of those', async () => {
  const gateway = await start(2000);
  let answers = 0;
  const answered = (): void => {
    answers += 1;
  };
  const clients = Array.from({ length: 50 }, () => keepSending(gateway.url, answered));
  await until('every client has a connection that it uses', () => answers > 200);
  expect(await gateway.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect((await Promise.all(clients)).flat()).toEqual([]);
});
