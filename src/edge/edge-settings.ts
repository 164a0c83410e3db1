/** What the edge is told from outside. */
import type { Rate } from '../lib/rate-limit.ts';

export type EdgeSettings = {
  /** `edge/` and `run/` are made below it. */
  dataDir: string;
  /** Where the public port listens: an address, `*`, or a name such as `localhost`. */
  host: string;
  port: number;
  /** HTTPS, where this edge ends it; all that comes without it is sent to it. */
  tls?: EdgeTls | undefined;
  /** Hosts (without port) whose requests go to the API and to no application. */
  apiHosts: string[];
  /** Addresses and networks of the proxies in front of this one, whose word on the client counts. */
  trustedProxies: string[];
  /** Where the applications' containers are (CIDR, IPv4): what these say of clients never counts. */
  networkPool: string;
  /** The trusted proxies begin each connection with the PROXY protocol. */
  proxyProtocol: boolean;
  limits: EdgeLimits;
  /** Requests of a client for hosts where nothing is; above it, it reaches the sites alone that it has visited. */
  guessRate: Rate;
  /** It answers for applications until it is told so anew: there may be other edges. Absent: always. */
  isShared?: boolean;
  /** Name or path of HAProxy's executable. */
  binary?: string;
};

export type EdgeTls = {
  /** Where it listens, at the same host. */
  port: number;
  /** Where clients find it: another one when somebody in front hands connections on. */
  publicPort: number;
  /**
   * An authority issues the certificates while it serves: for a name there may be none yet, and the authority asks for
   * its challenges without TLS.
   */
  isIssued?: boolean;
};

export type EdgeLimits = {
  /** Of one client address at a time, requests and tunnels of all applications together. */
  connectionsPerClient: number;
  /** For the head of a request, and for the body of one to the API. */
  requestTimeoutMs: number;
};

/** The part of a pino logger that the edge uses. */
export type EdgeLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};
