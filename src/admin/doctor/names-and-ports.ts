/** Checks whether visitors reach the service: the addresses of its names, and the responses on its ports. Pure. */
import { bad, type Check, good, type Observation, unknown, warn } from './check.ts';

export type ObservedNames = {
  api: { host: string; addresses: Observation<readonly string[]> };
  /** Any name below the applications' domain. */
  apps: { host: string; addresses: Observation<readonly string[]> };
  /** The addresses of this machine's interfaces. */
  own: readonly string[];
  /** A proxy in front of this machine receives the requests, so the addresses are the proxy's. */
  isBehindProxy: boolean;
};

export function judgeNames({ api, apps, own, isBehindProxy }: ObservedNames): Check[] {
  const record = (host: string) => `Set a record A (and AAAA, where this machine has IPv6) for ${host} in DNS.`;
  const judge = (name: string, { host, addresses }: ObservedNames['api'], shown: string): Check => {
    if (host === 'localhost' || host.endsWith('.localhost'))
      return unknown(
        name,
        `${shown} is for this machine alone.`,
        'To be public, set BERTH_BASE_URL and BERTH_APPS_DOMAIN.',
      );
    if ('fault' in addresses) {
      if (/ENOTFOUND|ENODATA/.test(addresses.fault)) return bad(name, `${shown} is not in DNS.`, record(shown));
      return unknown(name, `${shown} could not be looked up: ${addresses.fault}.`, 'Check the DNS of this machine.');
    }
    const list = addresses.value.join(', ');
    if (addresses.value.length === 0) return bad(name, `${shown} has no address.`, record(shown));
    const closed = addresses.value.filter((address) => isLoopback(address) || address === '0.0.0.0');
    if (closed.length > 0)
      return bad(name, `${shown} leads to ${closed.join(', ')}, which is every visitor's own machine.`, record(shown));
    if (isBehindProxy) return good(name, `${shown} leads to ${list}, where the proxies of BERTH_TRUSTED_PROXIES are.`);
    const foreign = addresses.value.filter((address) => !own.includes(address));
    if (foreign.length === 0) return good(name, `${shown} leads to ${list}, of this machine.`);
    return warn(
      name,
      `${shown} leads to ${foreign.join(', ')}, which no interface of this machine has.`,
      'This is correct if a router or load balancer forwards connections to this machine. Otherwise, correct the record.',
    );
  };
  const checks = [judge('dns-api', api, api.host), judge('dns-applications', apps, apps.host.replace(/^[^.]+/, '*'))];
  if ('value' in api.addresses && 'value' in apps.addresses) {
    const missing = apps.addresses.value.filter(
      (address) => !('value' in api.addresses && api.addresses.value.includes(address)),
    );
    if (missing.length > 0 && checks.every(({ state }) => state !== 'bad'))
      return [
        ...checks,
        warn(
          'dns-together',
          `Applications lead to ${missing.join(', ')}, and ${api.host} does not.`,
          'One machine serves both: point both names to it.',
        ),
      ];
  }
  return checks;
}

/** The response on a port of the public name. `berth`: the response of this service. */
export type Answer = { kind: 'berth' } | { kind: 'other'; status: number } | { kind: 'none'; code: string };

export type ObservedPort = { scheme: 'http' | 'https'; host: string; port: number; answer: Answer };

/** Checked from this machine: a firewall further out is not visible here. */
export function judgePort({ scheme, host, port, answer }: ObservedPort): Check {
  const name = `port-${scheme}`;
  const where = `${host}:${port}`;
  const outside = ' This check ran from this machine: try it from another machine too.';
  if (answer.kind === 'berth') return good(name, `Berth answers at ${where}.${outside}`);
  if (answer.kind === 'other')
    return bad(
      name,
      `${where} answers with status ${answer.status}, and not as Berth does.`,
      'Another program has the port, or the name leads to another machine.',
    );
  const { code } = answer;
  if (/ENOTFOUND|EAI_AGAIN|ENODATA/.test(code)) return unknown(name, `${host} could not be looked up.`, 'See dns-api.');
  if (code === 'ECONNREFUSED')
    return bad(
      name,
      `Nothing listens at ${where}.`,
      `Start the service, with BERTH_HOST=0.0.0.0 and ${scheme === 'http' ? 'BERTH_PORT' : 'BERTH_HTTPS_PORT'} as visitors find it.`,
    );
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout)$/.test(code))
    return bad(
      name,
      `${where} does not answer (${code}).`,
      `Let TCP port ${port} through the firewalls of this machine and of its provider.`,
    );
  return bad(
    name,
    `${where} breaks off (${code}).`,
    scheme === 'https' ? 'See certificate.' : 'See the log of the service.',
  );
}

/** Checks whether the service listens on the address that visitors use. */
export function judgeListening({
  host,
  isPublic,
  isBehindProxy,
}: {
  host: string;
  isPublic: boolean;
  isBehindProxy: boolean;
}): Check {
  const isClosed = isLoopback(host) || host === 'localhost';
  if (!isPublic)
    return unknown('listening', 'The base address is for this machine alone.', 'To be public, set BERTH_BASE_URL.');
  if (isClosed && !isBehindProxy)
    return bad(
      'listening',
      `The service listens at ${host} alone.`,
      'Set BERTH_HOST=0.0.0.0, or the address of this machine that visitors use.',
    );
  return good('listening', `The service listens at ${host}.`);
}

function isLoopback(address: string): boolean {
  return /^127\./.test(address) || address === '::1' || address === '[::1]';
}
