/** A client of a Berth in the scenarios: requests to its API, and to the addresses of applications. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { ServiceCluster } from '../kubernetes/service-cluster.ts';
import type { ask } from './ask.ts';
import { until } from './until.ts';

export type ReceivedEvent = { number: number; kind: string; pod?: string; message: string; count: number };

export type Started = { url: string; sessionToken: string; applicationName: string };

/** The part of a request that names the application. */
export const named = ({ applicationName, sessionToken }: Started) => ({ applicationName, sessionToken });

type Asking = { method?: string; headers?: object; body?: string | Uint8Array };

export type Reached = {
  port: number;
  send(url: string, asking?: Asking): ReturnType<typeof ask>;
  /** Has the images of a document where its pods are to run. */
  bringImagesOf?: ServiceCluster['bringImagesOf'] | undefined;
  /** The log of the service, for a failure. */
  log(): string;
};

export function createClient({ port, send, bringImagesOf, log }: Reached) {
  const client = {
    get: (path: string, headers: object = {}) => send(`http://localhost:${port}${path}`, { headers }),
    postYaml: (path: string, body: string) =>
      send(`http://localhost:${port}${path}`, { method: 'POST', headers: { 'content-type': 'text/x-yaml' }, body }),
    postJson: (path: string, body: object) =>
      send(`http://localhost:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    /** A request to an application's own address. */
    visit: (url: string, options?: { method?: string; headers?: object; body?: string | Uint8Array }) =>
      send(url, options),

    async start(yaml: string): Promise<Started> {
      await bringImagesOf?.(yaml);
      const { status, body, text } = await client.postYaml('/startUserDeployment', yaml);
      assert.equal(status, 200, text);
      return body;
    },
    async update({ sessionToken }: Started, yaml: string): Promise<void> {
      await bringImagesOf?.(yaml);
      const { status, text } = await client.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml);
      assert.equal(status, 200, text);
    },
    async remove({ sessionToken, applicationName }: Started): Promise<void> {
      const { status, text } = await client.postJson('/removeDeploymentReservation', { sessionToken, applicationName });
      assert.equal(status, 200, text);
    },
    async status({ sessionToken, applicationName }: Started) {
      const query = new URLSearchParams({ applicationName });
      const authorization = `Bearer ${sessionToken}`;
      return (await client.get(`/getDeploymentStatus?${query}`, { authorization })).body.status;
    },
    /** A stream of the API, such as followed logs; `text` is what has come so far. */
    stream(path: string, headers: object = {}) {
      let text = '';
      const target = { host: '127.0.0.1', port, path, headers: { host: 'localhost', ...headers } };
      const sent = request(target, (response) => {
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
      });
      sent.on('error', () => {}).end();
      return { text: () => text, close: () => sent.destroy() };
    },
    /** The events of a deployment up to the one whose message matches. */
    async eventsUntil({ sessionToken, applicationName }: Started, message: RegExp): Promise<ReceivedEvent[]> {
      const authorization = `Bearer ${sessionToken}`;
      const reader = client.stream(`/getDeploymentEvents?${new URLSearchParams({ applicationName })}`, {
        authorization,
      });
      try {
        return await until(`an event ${message} of ${applicationName}`, async () => {
          const reported = [...reader.text().matchAll(/^data: (.*)\n/gm)].map(
            ([, data]) => JSON.parse(data!) as ReceivedEvent,
          );
          // A repeated event replaces its earlier occurrence.
          const events = [...new Map(reported.map((event) => [event.number, event])).values()];
          return events.some((event) => message.test(event.message)) ? events : undefined;
        });
      } finally {
        reader.close();
      }
    },
    /** Waits for a state and returns the status; another final state fails at once. */
    async reach(started: Started, state: 'running' | 'failed') {
      return await until(`${started.applicationName} is ${state}`, async () => {
        const status = await client.status(started);
        if (status.state === state) return status;
        const isFinal = status.state === 'running' || status.state === 'failed';
        assert.ok(!isFinal, `${started.applicationName} is ${status.state}: ${status.message}\n${log().slice(-2000)}`);
        return undefined;
      });
    },
  };
  return client;
}
