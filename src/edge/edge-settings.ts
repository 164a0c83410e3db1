/** The external settings of the edge. */
import type { Rate } from '../lib/rate-limit.ts';

export type EdgeSettings = {
  /** `edge/` and `run/` are made below it. */
  dataDir: string;
  /** Where the public port listens: an address, `*`, or a name such as `localhost`. */
  host: string;
  port: number;
  /** HTTPS, if this edge terminates it. Requests without TLS are redirected to it. */
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
  /**
   * Whether there may be other edges. Then this one answers for applications only until a renewed deadline. Absent:
   * always.
   */
  isShared?: boolean;
  /** Name or path of HAProxy's executable. */
  binary?: string;
};

export type EdgeTls = {
  /** Where it listens, at the same host. */
  port: number;
  /** The port that clients use. It differs from `port` behind a proxy. */
  publicPort: number;
  /**
   * An authority issues the certificates while the edge serves: a name may not have one yet, and the authority requests
   * its challenges without TLS.
   */
  isIssued?: boolean;
};

export type EdgeLimits = {
  /**
   * The maximum number of simultaneous connections of one client address, for requests and tunnels of all applications
   * together.
   */
  connectionsPerClient: number;
  /** For the head of a request, and for the body of one to the API. */
  requestTimeoutMs: number;
};

/** The part of a pino logger that the edge uses. */
export type EdgeLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};
