/**
 * Reads the directory of an authority before each order: if the authority is down, the library's own error is obscure
 * ("reading 'config'").
 */

import { request } from 'node:https';
import { parseObject } from '../../lib/json.ts';

export type Directory = { renewalInfo: string | undefined };

const patienceMs = 30_000;
const longestAnswer = 100_000;

/** Rejects with a message for the operator. `root`: PEM, if the machine does not trust the authority. */
export async function readDirectory(url: URL, root: string | undefined): Promise<Directory> {
  const { status, text } = await get(url, root).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the authority at ${url.href} cannot be reached: ${error.code ?? error.message}`);
  });
  if (status !== 200) throw new Error(`the authority at ${url.href} answers with status ${status}`);
  const { newNonce, renewalInfo } = parseObject(text);
  if (typeof newNonce !== 'string') throw new Error(`${url.href} is not an ACME directory: see BERTH_ACME`);
  return { renewalInfo: typeof renewalInfo === 'string' ? renewalInfo : undefined };
}

function get(url: URL, root: string | undefined): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(patienceMs);
    const options = { agent: false, signal, ...(root !== undefined && { ca: root }) } as const;
    const outgoing = request(url, options, async (answer) => {
      try {
        let text = '';
        for await (const part of answer.setEncoding('utf8')) {
          text += part;
          if (text.length > longestAnswer) throw new Error('its answer has no end');
        }
        resolve({ status: answer.statusCode ?? 0, text });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject).end();
  });
}
