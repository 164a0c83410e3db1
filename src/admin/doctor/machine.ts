/** Requirements of the machine itself. Pure. */
import { bad, type Check, good, type Observation, unknown, warn } from './check.ts';

/** The difference between this machine's clock and the clock of a server. */
export type ObservedClock = { source: string; aheadMs: Observation<number> };

/** The HTTP header `Date` has a resolution of one second, and the response takes time. */
const clockLimits = { goodMs: 5_000, warnMs: 60_000 };

export function judgeClock({ source, aheadMs }: ObservedClock): Check {
  const todo = 'Run an NTP client, such as systemd-timesyncd or chrony.';
  if ('fault' in aheadMs)
    return unknown(
      'clock',
      `The clock could not be compared: ${aheadMs.fault}.`,
      '"timedatectl" says whether it is synchronised.',
    );
  const seconds = Math.round(Math.abs(aheadMs.value) / 1000);
  const words = `The clock is ${seconds} s ${aheadMs.value < 0 ? 'behind' : 'ahead of'} that of ${source}.`;
  if (Math.abs(aheadMs.value) <= clockLimits.goodMs) return good('clock', words);
  if (Math.abs(aheadMs.value) <= clockLimits.warnMs) return warn('clock', words, todo);
  return bad('clock', `${words} This makes certificates and sign-ins fail.`, todo);
}

export type ObservedDisk = { place: string; space: Observation<{ freeBytes: number; totalBytes: number }> };

/** `minBytes`: below this, no deployment starts. */
export function judgeDisk({ place, space }: ObservedDisk, minBytes: number, name = 'disk'): Check {
  if ('fault' in space) return unknown(name, `The disk of ${place} could not be read: ${space.fault}.`);
  const { freeBytes, totalBytes } = space.value;
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const words = `${place}: ${gigabytes(freeBytes)} of ${gigabytes(totalBytes)} are free`;
  const todo = 'Free some space, or add a disk: "docker system df" and "berth admin images" show what uses the space.';
  if (freeBytes < minBytes) return bad(name, `${words}, less than BERTH_DISK_FREE: nothing starts.`, todo);
  if (freeBytes < 2 * minBytes) return warn(name, `${words}; at ${gigabytes(minBytes)} nothing starts any more.`, todo);
  return good(name, `${words}.`);
}

/** `outdated`: a sentence for each program that is older than supported. */
export type ObservedEngine = { version: string; outdated: readonly string[] };

export function judgeEngine(engine: Observation<ObservedEngine>): Check[] {
  if ('fault' in engine)
    return [
      bad(
        'engine',
        `No Docker engine responds: ${engine.fault}.`,
        'Start it; as the user of the service, "docker version" must succeed.',
      ),
    ];
  const { version, outdated } = engine.value;
  return [
    good('engine', `Docker ${version} answers.`),
    outdated.length === 0
      ? good('engine-versions', 'Docker, containerd and runc are of supported versions.')
      : warn(
          'engine-versions',
          outdated.join(' '),
          'Update Docker, containerd and runc from your distribution or from Docker.',
        ),
  ];
}

/** The running service's report on itself. */
export type ObservedService = { isReady: boolean; problem: string | undefined; isIsolated: boolean | undefined };

export function judgeService(service: Observation<ObservedService>): Check {
  if ('fault' in service)
    return bad(
      'service',
      `The service does not answer: ${service.fault}.`,
      'Start it: "systemctl start berth", and read its log with "journalctl -u berth".',
    );
  const { isReady, problem = '' } = service.value;
  return isReady
    ? good('service', 'The service runs and is ready.')
    : bad('service', `The service is not ready. ${problem}`, 'Its log says more.');
}

export function judgeFirewall(service: Observation<ObservedService>, isUnsafeAllowed: boolean): Check {
  const name = 'firewall';
  const todo = 'Install nftables, and start the service as root; its log has the result of its self-check.';
  if ('fault' in service)
    return unknown(name, 'The service reports whether its rules hold, but it does not answer.', 'See service.');
  const { isIsolated } = service.value;
  if (isIsolated === undefined)
    return unknown(
      name,
      'The service does not report to this command whether its rules hold.',
      'Set BERTH_METRICS_TOKEN as for the service.',
    );
  if (!isIsolated)
    return bad(name, "Nothing keeps containers from this machine's services and private networks.", todo);
  if (isUnsafeAllowed)
    return warn(
      name,
      'The rules hold, but BERTH_ALLOW_UNSAFE lets the service start without them.',
      'Remove "firewall" from BERTH_ALLOW_UNSAFE.',
    );
  return good(name, 'The rules around containers are in force: the service tries them at each start.');
}
