/** The target of idle health checks: a server in a process of its own, so that its work is not counted as ours. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_, response) => response.end('well'));
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
