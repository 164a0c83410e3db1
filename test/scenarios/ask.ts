/** A request to an edge of a test, and the whole of its answer. */
import { type IncomingHttpHeaders, request } from 'node:http';

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a body is, the assertions say
  body: any;
};

/** To the edge at its address, under the host of `url`: names below `localhost` do not resolve everywhere. */
export function ask(
  url: URL,
  edge: { host: string; port: number },
  options: { method?: string; headers?: object; body?: string | Uint8Array },
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...edge,
        method,
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
        agent: false,
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json');
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : text,
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
