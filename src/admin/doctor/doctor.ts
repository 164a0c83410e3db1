/** Checks everything that a public installation needs. */
import type { Runtime } from '../../engine/docker/host/runtime.ts';
import type { MailSettings } from '../../lib/mail-transport.ts';
import type { StoreSettings } from '../../store/open.ts';
import { placeOf } from '../store-places.ts';
import { type Check, unknown } from './check.ts';
import {
  addressesOf,
  clockAhead,
  judgeCertificate,
  judgeOrders,
  ownAddresses,
  probePort,
  shownCertificate,
} from './inspect-network.ts';
import { inspectDisk, inspectEngine, inspectMail, inspectService, inspectStore } from './inspect-service.ts';
import { judgeClock, judgeDisk, judgeEngine, judgeFirewall, judgeService } from './machine.ts';
import { judgeListening, judgeNames, judgePort } from './names-and-ports.ts';
import {
  judgeBackup,
  judgeDatabase,
  judgeMail,
  judgeOpenness,
  judgeOperatorMail,
  judgeOrphans,
  type Openness,
} from './upkeep.ts';

export type DoctorSettings = StoreSettings &
  Pick<Openness, 'signUp' | 'sharedDomain' | 'hasTerms'> & {
    baseUrl: URL;
    appsDomain: string;
    /** Where it listens, for HTTP, and for HTTPS where it has certificates. */
    host: string;
    port: number;
    certificates: 'none' | 'files' | 'wildcard' | 'one-each';
    acmeDirectory: URL | undefined;
    acmeRoot: string | undefined;
    isBehindProxy: boolean;
    engine: string;
    runtime: Runtime;
    diskFreeBytes: number;
    graceMs: number;
    proofOfWork: { mode: Openness['proofOfWork'] };
    isUnsafeAllowed: boolean;
    metricsToken: string | undefined;
    mail: MailSettings | undefined;
    /** Whom it writes to about certificates. */
    operator: string | undefined;
  };

/**
 * Runs all checks. Changes nothing, and sends only a mail to `sendTo`. Each check has a time limit, and all of them
 * take less than a minute.
 */
export async function examine(settings: DoctorSettings, { now, sendTo }: { now: number; sendTo?: string | undefined }) {
  const isPublic = !/(^|\.)localhost$|^127\.|^\[::1\]$/.test(settings.baseUrl.hostname);
  const hasMail = settings.mail !== undefined;
  const [network, machine, upkeep] = await Promise.all([
    examineNetwork(settings, { now, isPublic }),
    examineMachine(settings),
    examineUpkeep(settings, { now, sendTo }),
  ]);
  const { baseUrl, proofOfWork, signUp, sharedDomain, hasTerms } = settings;
  const isHttps = baseUrl.protocol === 'https:';
  const openness = { isPublic, isHttps, proofOfWork: proofOfWork.mode, signUp, hasMail, sharedDomain, hasTerms };
  return [...network, ...machine, ...upkeep, ...judgeOpenness(openness)];
}

async function examineNetwork(
  settings: DoctorSettings,
  { now, isPublic }: { now: number; isPublic: boolean },
): Promise<Check[]> {
  const { baseUrl, appsDomain, host, port, certificates, isBehindProxy } = settings;
  const api = baseUrl.hostname;
  const anyApplication = `berth-doctor.${appsDomain}`;
  const isHttps = baseUrl.protocol === 'https:';
  const basePort = Number(baseUrl.port || (isHttps ? 443 : 80));
  const ports = [
    ...(isHttps ? [{ scheme: 'https', host: api, port: basePort } as const] : []),
    ...(!isHttps || certificates !== 'none'
      ? [{ scheme: 'http', host: api, port: isHttps ? port : basePort } as const]
      : []),
  ];
  const shown = [
    ...(isHttps ? [{ name: 'certificate-api', host: api }] : []),
    ...(isHttps && certificates !== 'one-each' ? [{ name: 'certificate-applications', host: anyApplication }] : []),
  ];
  const [apiAddresses, appsAddresses, answers, handshakes] = await Promise.all([
    addressesOf(api),
    addressesOf(anyApplication),
    Promise.all(ports.map(probePort)),
    Promise.all(shown.map(async (each) => ({ ...each, shown: await shownCertificate(each.host, basePort) }))),
  ]);
  return [
    ...judgeNames({
      own: ownAddresses(),
      isBehindProxy,
      api: { host: api, addresses: apiAddresses },
      apps: { host: anyApplication, addresses: appsAddresses },
    }),
    judgeListening({ host, isPublic, isBehindProxy }),
    ...answers.map(judgePort),
    ...handshakes.map((each) => judgeCertificate(each, now)),
  ];
}

async function examineMachine(settings: DoctorSettings): Promise<Check[]> {
  const { acmeDirectory, acmeRoot, dataDir, diskFreeBytes, engine, runtime, port, metricsToken } = settings;
  const isDocker = engine === 'docker';
  // A server that this machine contacts anyway.
  const source = acmeDirectory ?? (isDocker ? new URL('https://registry-1.docker.io/v2/') : undefined);
  const noSource = { fault: 'the settings name no server to compare with' };
  const [aheadMs, space, service, docker] = await Promise.all([
    source ? clockAhead(source, acmeDirectory && acmeRoot) : noSource,
    inspectDisk(dataDir),
    inspectService(port, metricsToken),
    isDocker ? inspectEngine(runtime) : undefined,
  ]);
  return [
    judgeService(service),
    judgeClock({ source: source?.hostname ?? '', aheadMs }),
    judgeDisk({ place: dataDir, space }, diskFreeBytes),
    ...(docker
      ? [...judgeEngine(docker), judgeFirewall(service, settings.isUnsafeAllowed)]
      : [unknown('engine', `BERTH_ENGINE is ${engine}: its versions and rules are not checked here.`)]),
  ];
}

async function examineUpkeep(
  settings: DoctorSettings,
  { now, sendTo }: { now: number; sendTo: string | undefined },
): Promise<Check[]> {
  const [store, mail] = await Promise.all([inspectStore(settings), inspectMail(settings.mail, sendTo)]);
  return [
    judgeDatabase(placeOf(settings), store.tookMs),
    judgeBackup(store.backupAt, now),
    judgeOrphans(store.orphans),
    judgeMail(mail),
    ...(settings.certificates === 'none' ? [] : [judgeOperatorMail(settings.operator, settings.mail !== undefined)]),
    ...(settings.acmeDirectory ? [judgeOrders(store.failedOrders)] : []),
  ];
}
