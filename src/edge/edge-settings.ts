/** What the edge is told from outside. */

export type EdgeSettings = {
  /** `edge/` and `run/` are made below it. */
  dataDir: string;
  /** Where the public port listens: an address, `*`, or a name such as `localhost`. */
  host: string;
  port: number;
  /** Hosts (without port) whose requests go to the API and to no application. */
  apiHosts: string[];
  /** Name or path of HAProxy's executable. */
  binary?: string;
};

/** The part of a pino logger that the edge uses. */
export type EdgeLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};
