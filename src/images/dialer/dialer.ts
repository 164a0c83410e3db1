/**
 * The only way to request addresses that users name. It resolves the name, checks all its addresses, and connects to a
 * checked address: a name that resolves differently the next time gains nothing. It follows redirects itself with the
 * same checks, without credentials for another host. It ignores the proxies of the environment, because they would
 * resolve the name again.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { orAbort } from '../../lib/wait.ts';
import { DialFault } from './dial-fault.ts';
import { addressesOfThisMachine, isPublic } from './public-addresses.ts';

export type DialerOptions = {
  /** Hosts that the operator vouches for, by `host` or `host:port`; they may be anywhere. */
  listed?: ReadonlyMap<string, ListedHost>;
  /** Resolves all addresses of a name. Throws if it has none. Default: DNS. */
  resolve?: (name: string) => Promise<string[]>;
  /** Whether an address may be connected to; default: when it is public, and not one of this machine's. */
  isAllowed?: (address: string) => boolean;
  /** The time limit of an address for the response status. */
  answerMs?: number;
};

export type ListedHost = { plainHttp: boolean; ca?: string };

export type DialRequest = {
  method: 'GET' | 'HEAD' | 'POST';
  /** The body of a POST. Its redirects are not followed but returned. */
  body?: string;
  headers?: Record<string, string>;
  /** Sent to the host of the address, and to no other that it redirects to. */
  authorization?: string | undefined;
  /** Whether hosts on the operator's list are allowed: the request is for such a host, or was started by one. */
  mayUseListed: boolean;
  /** Ends the request and its answer. */
  signal: AbortSignal;
};

/** `body` has to be read or destroyed. */
export type Answer = { status: number; headers: IncomingMessage['headers']; url: URL; body: Readable };

export type Dialer = Disposable & {
  /** Throws DialFault, or the signal's reason. */
  request(url: URL, options: DialRequest): Promise<Answer>;
};

const maxRedirects = 5;
/**
 * The maximum number of addresses that are tried. Otherwise, a host with ten unresponsive addresses would take ten
 * times as long.
 */
const maxAddresses = 4;

export function createDialer(options: DialerOptions = {}): Dialer {
  const { listed = new Map(), resolve = resolveNames, isAllowed = isPublicHere, answerMs = 15_000 } = options;
  // Sockets are kept by the address that was judged and the name in the certificate.
  const agentOptions = { keepAlive: true, maxFreeSockets: 4, timeout: 10_000 };
  const agents = { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent(agentOptions) };

  /** Addresses that may be connected to, IPv4 first: a machine without IPv6 need not find that out each time. */
  async function addressesOf(url: URL, known: ListedHost | undefined): Promise<string[]> {
    const name = hostnameOf(url);
    if (known) return (await lookup(name, { all: true }).catch(unknownName(url.host))).map(({ address }) => address);
    const addresses = isIP(name) ? [name] : await resolve(name).catch(unknownName(url.host));
    if (addresses.length === 0) throw new DialFault('unknown-name', url.host);
    // One private address is enough for a refusal, because the name's other addresses cannot be trusted either.
    if (!addresses.every(isAllowed)) throw new DialFault('private-address', url.host);
    return addresses.toSorted((one, other) => isIP(one) - isIP(other)).slice(0, maxAddresses);
  }

  function listedHost(url: URL, mayUseListed: boolean): ListedHost | undefined {
    return mayUseListed ? listed.get(url.host) : undefined;
  }

  async function requestOnce(url: URL, options: DialRequest): Promise<Answer> {
    const { method, body: sent, headers, authorization, mayUseListed, signal } = options;
    signal.throwIfAborted();
    const known = listedHost(url, mayUseListed);
    const isPlain = url.protocol === 'http:';
    if (url.username || url.password || (isPlain ? !known?.plainHttp : url.protocol !== 'https:'))
      throw new DialFault('not-https', url.host);
    const addresses = await orAbort(addressesOf(url, known), signal);
    const name = hostnameOf(url);
    const common: RequestOptions = {
      method,
      path: `${url.pathname}${url.search}`,
      port: url.port || (isPlain ? 80 : 443),
      headers: {
        'user-agent': 'berth',
        ...headers,
        ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
        ...(authorization && { authorization }),
        host: url.host,
      },
      agent: agents[isPlain ? 'http:' : 'https:'],
      // The name that the certificate must be valid for. An IP address is compared as such.
      ...(!isPlain && { servername: isIP(name) ? '' : name, ...(known?.ca !== undefined && { ca: known.ca }) }),
    };
    let last: unknown;
    for (const host of addresses) {
      try {
        const body = await send(isPlain, { ...common, host }, { answerMs, body: sent, signal });
        return { status: body.statusCode ?? 0, headers: body.headers, url, body };
      } catch (error) {
        signal.throwIfAborted();
        last = error;
      }
    }
    throw last instanceof DialFault ? last : new DialFault('unreachable', url.host, { cause: last });
  }

  return {
    async request(url, options) {
      let { authorization } = options;
      let at = url;
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const answer = await requestOnce(at, { ...options, authorization });
        const { location } = answer.headers;
        const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
        if (!isRedirect || options.method === 'POST') return answer;
        answer.body.destroy();
        const next = URL.parse(location, at);
        if (!next) throw new DialFault('not-https', at.host);
        if (next.origin !== at.origin) authorization = undefined;
        at = next;
      }
      throw new DialFault('too-many-redirects', url.host);
    },
    [Symbol.dispose]() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

type Sending = { answerMs: number; body: string | undefined; signal: AbortSignal };

/** Resolves when the status has arrived. The response ends with the signal. */
function send(isPlain: boolean, options: RequestOptions, sending: Sending): Promise<IncomingMessage> {
  const { answerMs, body, signal } = sending;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const { host, port } = options;
    const request = (isPlain ? httpRequest : httpsRequest)({ ...options, signal });
    const late = setTimeout(() => request.destroy(new DialFault('too-slow', `${host}:${port}`)), answerMs);
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      // The server may have closed a reused connection just now. Each attempt uses another one.
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
      if (isStale) resolve(send(isPlain, options, sending));
      else reject(error);
    });
    request.on('response', (response) => {
      clearTimeout(late);
      // Readers get the error. Without a reader, it must not end the process.
      response.on('error', () => {});
      resolve(response);
    });
    request.end(body);
  });
}

function isPublicHere(address: string): boolean {
  return isPublic(address, addressesOfThisMachine());
}

/** Without the brackets of an IPv6 address. */
function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function unknownName(host: string) {
  return (cause: unknown): never => {
    throw cause instanceof DialFault ? cause : new DialFault('unknown-name', host, { cause });
  };
}

/**
 * Queries DNS directly, because a hostile name server could block one of the four threads of the system's function for
 * any time. The hosts file and search domains are only for names of the operator.
 */
async function resolveNames(name: string): Promise<string[]> {
  if (/(?:^|\.)localhost\.?$/.test(name)) return ['127.0.0.1'];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  throw answers[0]!.status === 'rejected' ? answers[0]!.reason : new DialFault('unknown-name', name);
}
