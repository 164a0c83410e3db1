/** The external settings of the edge. */
import type { Rate } from '../lib/rate-limit.ts';

export type EdgeSettings = {
  /** Contains `edge/` and `run/`. */
  dataDir: string;
  /** The address of the public port: an IP address, `*`, or a name such as `localhost`. */
  host: string;
  port: number;
  /** HTTPS, if this edge terminates it. Requests without TLS are redirected to it. */
  tls?: EdgeTls | undefined;
  /** Hosts (without port) whose requests go to the API and to no application. */
  apiHosts: string[];
  /** Addresses and networks of the proxies in front of the edge, whose client headers are trusted. */
  trustedProxies: string[];
  /** The network of the applications' containers (CIDR, IPv4). Their client headers are never trusted. */
  networkPool: string;
  /** The trusted proxies begin each connection with the PROXY protocol. */
  proxyProtocol: boolean;
  limits: EdgeLimits;
  /**
   * The limit of a client's requests for hosts that do not exist. Above it, the client only reaches sites that it has
   * visited before.
   */
  guessRate: Rate;
  /**
   * Whether other edges may exist. Then this edge answers for applications only until a renewed deadline. Absent:
   * always.
   */
  isShared?: boolean;
  /** Name or path of HAProxy's executable. */
  binary?: string;
};

export type EdgeTls = {
  /** The port on the same host. */
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
