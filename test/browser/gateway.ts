/** In a network of its own: `gateway.ts PORT SOCKET` leads what comes to the port of 127.0.0.1 to the socket. */
import { createConnection, createServer } from 'node:net';
import { joinSockets } from './join-sockets.ts';

const [port, path] = process.argv.slice(2);
createServer({ allowHalfOpen: true }, (inner) => {
  joinSockets(inner, createConnection({ path: path!, allowHalfOpen: true }));
}).listen(Number(port), '127.0.0.1', () => console.log('open'));
process.stdin.resume().on('end', () => process.exit());
