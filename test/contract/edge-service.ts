/** A process with an edge of its own on a PostgreSQL: `{ databaseUrl, dataDir, port, silenceMs }` as its argument. */
import { pino } from 'pino';
import { type OpenEdge, openEdge } from '../../src/edge/open.ts';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { plainSettings } from '../support/edge.ts';

export type EdgeServiceTask = { databaseUrl: string; dataDir: string; port: number; silenceMs: number };

export type EdgeService = AsyncDisposable & { store: Store; edge: OpenEdge };

export async function serveEdge(task: EdgeServiceTask): Promise<EdgeService> {
  const { databaseUrl, dataDir, port, silenceMs } = task;
  await using opening = new AsyncDisposableStack();
  const store = opening.use(
    await openStore({ dataDir, databaseUrl: parsePostgresUrl(databaseUrl), databaseConnections: 4 }),
  );
  const settings = {
    ...plainSettings,
    dataDir,
    port,
    isShared: true,
    edgeSilenceMs: silenceMs,
    clientConnections: 1_000,
    appsDomain: 'apps.test',
    baseUrl: new URL('http://localhost'),
  };
  const log = pino({ level: 'silent' });
  const edge = opening.use(await openEdge(settings, { db: store.db, seal: sealWith('tests'), now: Date.now, log }));
  const hear = { due() {}, events() {}, counts() {}, onProcessEnd() {}, routes: edge.onRoutes, edges: edge.onRoutes };
  opening.use(await store.follow(hear));
  edge.keepProxyRunning();
  const open = opening.move();
  return { store, edge, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

if (import.meta.main) {
  const service = await serveEdge(JSON.parse(process.argv[2]!));
  process.once('disconnect', async () => {
    await service[Symbol.asyncDispose]();
    process.exit();
  });
  process.send!('serves');
}
