/** Bytes to the edge, and what comes back as answers. */
import { createConnection } from 'node:net';

export type Answer = { status: number; headers: Map<string, string>; body: string };

/** Streams are left alone when they have said nothing for so long, requests that may never be complete, and all others. */
export const patience = {
  stream: { firstMs: 60_000, nextMs: 150 },
  incomplete: { firstMs: 500, nextMs: 500 },
  complete: { firstMs: 60_000, nextMs: 60_000 },
};

/** Everything that comes back on a connection of its own, until it ends or is silent for so long. */
export function exchange(
  port: number,
  bytes: Buffer,
  { firstMs, nextMs }: { firstMs: number; nextMs: number },
): Promise<Buffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = createConnection(port, '127.0.0.1', () => socket.write(bytes));
    let timer: NodeJS.Timeout | undefined;
    const watch = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), ms);
    };
    watch(firstMs);
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      watch(/^HTTP\/1\.1 100 [^\n]*\n\r\n$/.test(part.toString('latin1')) ? firstMs : nextMs);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts));
    });
  });
}

/** The answers in these bytes; the last one may be cut off. @param isHead they are to HEAD. */
export function readAnswers(bytes: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes.toString('latin1');
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(line)?.[1]);
    if (end < 0 || !status) throw new Error(`not an answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = new Map(fields.map((field) => splitField(field)));
    rest = rest.slice(end + 4);
    if (status < 200) continue;
    const length = Number(headers.get('content-length'));
    // A HEAD that could not be read is answered with a body.
    const isBodiless = (isHead && /^(?:HTTP\/1\.1 |$)/.test(rest)) || status === 204 || status === 304;
    let body = '';
    if (!isBodiless && headers.get('transfer-encoding') === 'chunked') [body, rest] = readChunks(rest);
    else if (!isBodiless) [body, rest] = [rest.slice(0, length), rest.slice(length)];
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString() });
  }
  return answers;
}

function splitField(field: string): [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
}

function readChunks(text: string): [body: string, rest: string] {
  let body = '';
  let at = 0;
  for (;;) {
    const end = text.indexOf('\r\n', at);
    const length = Number.parseInt(text.slice(at, end), 16);
    if (end < 0 || Number.isNaN(length)) return [body, ''];
    if (length === 0) return [body, text.slice(end + 4)];
    body += text.slice(end + 2, end + 2 + length);
    at = end + 4 + length;
  }
}
