import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command, FakeObject, Fault, SeenRequest } from './fake-api.ts';

/** An API server with ConfigMaps that does what its parent asks it to do wrong; its parent speaks to it over the process channel. */
const objects = new Map<string, FakeObject>();
let history: { version: number; type: string; object: FakeObject }[] = [];
const watchers = new Map<ServerResponse, (type: string, object: FakeObject) => void>();
const faults: Fault[] = [];
const seen: SeenRequest[] = [];
const held: (() => void)[] = [];
let version = 100;
let oldest = 0;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://fake');
  const kind = url.searchParams.has('watch') ? 'watch' : request.method === 'GET' ? 'read' : 'write';
  const authorization = request.headers.authorization;
  seen.push({
    kind,
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    authorization,
  });
  const at = faults.findIndex((each) => each.on === kind);
  const [fault] = at < 0 ? [] : faults.splice(at, 1);
  request.resume();
  if (fault?.status !== undefined) refuse(response, fault.status, fault.retryAfter, fault.bare);
  else if (kind === 'watch') watch(response, url, fault);
  else if (kind === 'read') read(response, url, fault);
  else answer(response, 200, { kind: 'Status', status: 'Success' });
});

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, code: number, retryAfter?: number, bare = false): void {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (bare) response.writeHead(code, headers).end(`${code} by something that is no API server`);
  else answer(response, code, { kind: 'Status', code, reason: `Fault${code}`, message: `fault ${code}` }, headers);
}

function read(response: ServerResponse, url: URL, fault: Fault | undefined): void {
  if (fault?.do === 'hang') return;
  const name = /\/configmaps\/([^/]+)$/.exec(url.pathname)?.[1];
  const send = (): void => {
    if (name !== undefined) {
      const object = objects.get(name);
      if (object) answer(response, 200, object);
      else
        answer(response, 404, { kind: 'Status', code: 404, reason: 'NotFound', details: { name, kind: 'configmaps' } });
      return;
    }
    const offset = Number(url.searchParams.get('continue') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? 0) || Number.POSITIVE_INFINITY;
    const all = [...objects.values()];
    const next = offset + limit < all.length ? { continue: String(offset + limit) } : {};
    const metadata = { resourceVersion: String(version), ...next };
    const text = JSON.stringify({ kind: 'ConfigMapList', metadata, items: all.slice(offset, offset + limit) });
    response.writeHead(200, { 'content-type': 'application/json' });
    if (fault?.do === 'cut') response.end(text.slice(0, text.length / 2));
    else if (fault?.do === 'reset') response.write(text.slice(0, text.length / 2), () => response.destroy());
    else response.end(text);
  };
  // A held list answers with what there is when it is released.
  if (fault?.do === 'hold') held.push(send);
  else send();
}

function watch(response: ServerResponse, url: URL, fault: Fault | undefined): void {
  const from = Number(url.searchParams.get('resourceVersion'));
  if (from < oldest) {
    answer(response, 410, { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }).flushHeaders();
  if (fault?.do === 'silent') return;
  if (fault?.do === 'gone') {
    response.write(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
    return;
  }
  const send = (type: string, object: FakeObject): void => {
    const line = `${JSON.stringify({ type, object })}\n`;
    const half = line.slice(0, line.length / 2);
    if (fault?.do === 'cut' || fault?.do === 'reset') watchers.delete(response);
    if (fault?.do === 'cut') response.end(half);
    else if (fault?.do === 'reset') response.write(half, () => response.destroy());
    else if (fault?.do === 'nonsense') response.write('<html>a proxy speaks</html>\n');
    else if (fault?.do === 'twice') response.write(line + line + repeatOf(object));
    else response.write(line);
    if (fault?.do !== 'twice') fault = undefined;
  };
  watchers.set(response, send);
  for (const event of history) {
    if (event.version > from && watchers.has(response)) send(event.type, event.object);
  }
  response.once('close', () => watchers.delete(response));
}

/** An older event about the same object, told once more. */
function repeatOf(object: FakeObject): string {
  const older = history.find((event) => event.object.metadata.name === object.metadata.name);
  return older ? `${JSON.stringify({ type: older.type, object: older.object })}\n` : '';
}

function change(type: string, object: FakeObject): void {
  history.push({ version, type, object });
  for (const send of watchers.values()) send(type, object);
}

function put(name: string, data: Record<string, string>, quietly: boolean): void {
  version += 1;
  const known = objects.get(name);
  const uid = known?.metadata.uid ?? `uid-${version}`;
  const managedFields = [{ manager: 'somebody' }];
  const metadata = { name, namespace: 'default', uid, resourceVersion: String(version), managedFields };
  const object: FakeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  objects.set(name, object);
  if (!quietly) change(known ? 'MODIFIED' : 'ADDED', object);
}

function remove(name: string, quietly: boolean): void {
  const known = objects.get(name);
  if (!known) return;
  version += 1;
  objects.delete(name);
  const object = { ...known, metadata: { ...known.metadata, resourceVersion: String(version) } };
  if (!quietly) change('DELETED', object);
}

function obey(command: Command): unknown {
  switch (command.do) {
    case 'put':
      return put(command.name, command.data, command.quietly);
    case 'remove':
      return remove(command.name, command.quietly);
    case 'bookmark':
      for (const send of watchers.values()) send('BOOKMARK', bookmark());
      return undefined;
    case 'end':
      for (const response of watchers.keys()) response.end();
      return undefined;
    case 'fault':
      return void faults.push(command.fault);
    case 'forgive':
      return void faults.splice(0);
    case 'forget':
      history = [];
      oldest = version;
      return undefined;
    case 'release':
      for (const send of held.splice(0)) send();
      return undefined;
    case 'look':
      return { seen, watchers: watchers.size, faults: faults.length, held: held.length };
  }
}

function bookmark(): FakeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '', uid: '', resourceVersion: String(version) },
    data: {},
  };
}

process.on('message', ({ id, command }: { id: number; command: Command }) => {
  process.send?.({ id, result: obey(command) });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ id: 0, result: (server.address() as AddressInfo).port }));
