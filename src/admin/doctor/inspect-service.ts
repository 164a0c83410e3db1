/** The doctor's view of the service, its engine, its database and its mail server. */
import { statfs } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import { connectDocker } from '../../engine/docker/connect-docker.ts';
import { findOutdatedPrograms, type Runtime } from '../../engine/docker/host/runtime.ts';
import { type MailSettings, mailTransport } from '../../lib/mail-transport.ts';
import { certificateStates } from '../../store/certificates.ts';
import { installationId, lastBackupAt } from '../../store/installation.ts';
import type { StoreSettings } from '../../store/open.ts';
import type { Tables } from '../../store/rows.ts';
import { StoreFault } from '../../store/store-fault.ts';
import { tryToWrite } from '../../store/write-probe.ts';
import { obstacleAt, openStore } from '../open-store.ts';
import { listOrphans, type Orphans } from '../orphans.ts';
import type { Observation } from './check.ts';
import { failedOrders, observe, patienceMs } from './inspect-network.ts';
import type { ObservedEngine, ObservedService } from './machine.ts';
import type { ObservedMail } from './upkeep.ts';

/** Queries the machine's own address, like a monitor. */
export function inspectService(port: number, metricsToken: string | undefined): Promise<Observation<ObservedService>> {
  return observe(async () => {
    const at = `http://127.0.0.1:${port}`;
    const signal = AbortSignal.timeout(patienceMs);
    const ready = await fetch(`${at}/readyz`, { signal }).catch((error: { cause?: { code?: string } }) => {
      throw new Error(error.cause?.code ?? 'no answer');
    });
    const { error } = (await ready.json().catch(() => ({}))) as { error?: string };
    const headers = metricsToken ? { authorization: `Bearer ${metricsToken}` } : {};
    const metrics = await fetch(`${at}/metrics`, { signal, headers });
    const isIsolated = /^berth_isolated ([01])$/m.exec(metrics.ok ? await metrics.text() : '')?.[1];
    return { isReady: ready.ok, problem: error, isIsolated: isIsolated === undefined ? undefined : isIsolated === '1' };
  });
}

export function inspectEngine(runtime: Runtime): Promise<Observation<ObservedEngine>> {
  return observe(async () => {
    const docker = await connectDocker();
    return { version: (await docker.version()).Version, outdated: await findOutdatedPrograms(docker, runtime) };
  });
}

export function inspectDisk(place: string): Promise<Observation<{ freeBytes: number; totalBytes: number }>> {
  return observe(async () => {
    const { bavail, blocks, bsize } = await statfs(place);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  });
}

export type ObservedStore = {
  tookMs: Observation<number | undefined>;
  backupAt: Observation<number | undefined>;
  failedOrders: Observation<{ host: string; problem: string }[]>;
  orphans: Observation<Orphans>;
};

/** The database may be slow. It is opened once for all checks. */
export async function inspectStore(
  settings: StoreSettings & { baseUrl: URL; appsDomain: string; graceMs: number },
): Promise<ObservedStore> {
  const opened = await observe(() => openStore(settings), 4 * patienceMs);
  if ('fault' in opened) return { tookMs: opened, backupAt: opened, failedOrders: opened, orphans: opened };
  const db = opened.value;
  if (!db) {
    const nothing = { value: undefined };
    const orphans = { value: { hold: null, orphans: [] } };
    return { tookMs: nothing, backupAt: nothing, failedOrders: { value: [] }, orphans };
  }
  try {
    return {
      tookMs: await observe(() => timeOf(db)),
      backupAt: await observe(() => lastBackupAt(db)),
      orphans: await observe(() => listOrphans(db, settings)),
      failedOrders: await observe(async () => failedOrders(await certificateStates(db), settings)),
    };
  } finally {
    await db.destroy();
  }
}

async function timeOf(db: Kysely<Tables>): Promise<number> {
  const obstacle = await obstacleAt(db);
  if (obstacle !== undefined) throw new Error(obstacle);
  const begunAt = performance.now();
  // Reads go on while its disk is full.
  if ((await installationId(db)) !== undefined) await tryToWrite(db, Date.now()).catch(explainFull);
  return performance.now() - begunAt;
}

function explainFull(error: unknown): never {
  throw error instanceof StoreFault && error.isFull ? new Error('its disk has no space left') : error;
}

/** @param sendTo the recipient of a test mail. Undefined: no mail is sent. */
export async function inspectMail(
  settings: MailSettings | undefined,
  sendTo: string | undefined,
): Promise<ObservedMail> {
  if (!settings) return undefined;
  const transport = mailTransport(settings);
  const answer = await observe(async () => {
    if (sendTo === undefined) await transport.verify();
    else await transport.sendMail({ from: settings.mailFrom, to: { name: '', address: sendTo }, ...trial });
    return { isSent: sendTo !== undefined };
  }, 2 * patienceMs);
  transport.close();
  return { server: settings.smtpUrl.host, answer };
}

const trial = {
  subject: 'Mail works',
  text: '"berth admin doctor --send-to" has sent this: mails of your installation of Berth arrive.\n',
};
