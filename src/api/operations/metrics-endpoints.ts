/** `GET /metrics`, and the metrics of each deployment, for the operator only. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { deploymentStates } from '../../deployment/deployment.ts';
import { sleepStages } from '../../deployment/sleep.ts';
import { committedInAll } from '../../store/commitments.ts';
import { countByState, namesOf } from '../../store/deployments.ts';
import { lastBackupAt } from '../../store/installation.ts';
import { quarantined, readSweepState } from '../../store/quarantine.ts';
import { countAsleep } from '../../store/sleep.ts';
import type { Service } from '../api-service.ts';
import { clientAddress } from '../requests/client-address.ts';
import { nothingHere, RefusedRequest } from '../requests/errors.ts';
import { exposeDeployments } from './deployment-exposition.ts';

export function metricsEndpoints(service: Service): FastifyPluginAsync {
  const { metrics, settings } = service;
  return async (app) => {
    app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      // Other callers get the same response as for an unknown path.
      if (!isOperator(request, settings.metricsToken)) throw new RefusedRequest(nothingHere);
      await readStore(service);
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    });

    // Separate from the other metrics, whose labels contain no names. These have several series for each pod of each
    // deployment.
    app.get('/metrics/deployments', { schema: { hide: true } }, async (request, reply) => {
      if (!isOperator(request, settings.metricsToken)) throw new RefusedRequest(nothingHere);
      const totals = service.samples?.()?.totals() ?? [];
      const { contentType, text } = await exposeDeployments(totals, (ids) => namesOf(service.db, ids));
      return reply.type(contentType).send(Readable.from(text));
    });
  };
}

/** Callers with the token. Without a configured token, callers on this machine. */
function isOperator(request: Pick<FastifyRequest, 'headers'>, token: string | undefined): boolean {
  if (token === undefined) return isLoopback(clientAddress(request));
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(token));
}

/** The edge reports the client's address. Without it, the request is refused. */
function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/i, '');
  return bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Counts from the store are read at each request, so that they are right after a restart, too. */
async function readStore({ db, budget, metrics }: Service): Promise<void> {
  const requested = [countByState(db), committedInAll(db), budget(), lastBackupAt(db)] as const;
  const [counts, committed, most, backupAt] = await Promise.all(requested);
  metrics.quarantined.set((await quarantined(db)).length);
  metrics.sweepHeld.set((await readSweepState(db)).hold ? 1 : 0);
  metrics.lastBackup.set(Math.floor((backupAt ?? 0) / 1000));
  const asleep = await countAsleep(db);
  for (const stage of sleepStages) metrics.asleep.set({ stage }, asleep.get(stage) ?? 0);
  for (const state of deploymentStates) metrics.deployments.set({ state }, counts.get(state) ?? 0);
  for (const [gauge, amount] of [
    [metrics.committed, committed],
    [metrics.budget, most],
  ] as const) {
    gauge.set({ resource: 'memory' }, amount.memoryBytes);
    gauge.set({ resource: 'cpu' }, amount.cpuMillis / 1000);
  }
}
