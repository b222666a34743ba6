import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Opens a stream of events for every caller, and writes each text that its parent sends to all of them. */
const sockets: Socket[] = [];
const server = createServer((socket) => {
  // A client that has gone away is of no interest here.
  socket.on('error', () => undefined);
  socket.setNoDelay(true).once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
    sockets.push(socket);
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('message', (text: string) => {
  const bytes = Buffer.from(text);
  for (const socket of sockets) socket.write(bytes);
});
process.once('disconnect', () => process.exit());
