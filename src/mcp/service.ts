/** The context of the tools: the service through the typed client, and the caller. */

import type { Client } from '../client/client.ts';
import type { Answer } from '../client/request.ts';

/** Undefined: the credentials of the transport, or those in the folder's memory. */
type Token = string | undefined;

export type Service = {
  clientOf(token: Token): Promise<Client>;
  /** Reads a text below the service's address, such as `/docs/guides/use-berth-as-an-agent.md`. */
  read(path: string): Promise<Answer<string>>;
  /** Saves the result of a start. Without it, the caller has to store the token. */
  saveSession?: (started: Remembered) => Promise<void>;
  /** The default application of a call. */
  application?: () => Promise<Application | undefined>;
  version: string;
};

export type Application = { applicationName: string; environment?: string };
export type Remembered = Required<Application> & { url: string; sessionToken: string };
