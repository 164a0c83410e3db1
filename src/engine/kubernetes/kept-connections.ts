/**
 * Connections to the API server that are kept from one request to the next: each new one costs a handshake with
 * certificates, on both sides.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';

export type KeptConnections = Disposable & {
  /** Resolves with the head of the answer. `options.agent`: how to connect; who goes through a proxy keeps none. */
  send(url: URL, options: RequestOptions, body: Buffer | undefined): Promise<IncomingMessage>;
};

export function keepConnections(): KeptConnections {
  let kept: { made: RequestOptions['agent']; agent: Agent } | undefined;

  /** With the certificates of the one that was made. */
  function agentLike(made: RequestOptions['agent']): RequestOptions['agent'] {
    if (!(made instanceof Agent) || made.constructor !== Agent) return made;
    if (kept?.made !== made) {
      forgetIdle();
      kept = { made, agent: new Agent({ ...made.options, keepAlive: true }) };
    }
    return kept.agent;
  }

  /** Silent connections may be dead, as may those that were opened with them. */
  function forgetIdle(): void {
    for (const socket of Object.values(kept?.agent.freeSockets ?? {}).flatMap((sockets) => sockets ?? []))
      socket.destroy();
  }

  async function send(
    url: URL,
    options: RequestOptions,
    body: Buffer | undefined,
    isRepeated = false,
  ): Promise<IncomingMessage> {
    let sent: ClientRequest | undefined;
    try {
      return await new Promise((resolve, reject) => {
        sent = request(url, { ...options, agent: agentLike(options.agent) })
          .on('error', reject)
          .once('response', resolve)
          .end(body);
      });
    } catch (error) {
      forgetIdle();
      // The server had closed the connection, and this process did not know yet. Every request may be repeated.
      const wasClosed = sent?.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!wasClosed || isRepeated) throw error;
      return await send(url, options, body, true);
    }
  }

  return {
    send,
    [Symbol.dispose]: () => kept?.agent.destroy(),
  };
}
