/** Ends the HAProxy of a data directory and removes the directory: `node end-edge.ts DIRECTORY`. */
import { rm } from 'node:fs/promises';
import { stopEdge } from '../src/edge/haproxy/haproxy.ts';

const [dataDir] = process.argv.slice(2);
await stopEdge(dataDir!);
await rm(dataDir!, { recursive: true, force: true });
