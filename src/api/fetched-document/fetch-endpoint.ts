/** Fetches a configuration from a URL for "Open in Berth" links, and serves the badge for such a link. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { maxDocumentBytes } from '../../config/document/source.ts';
import { readWhole } from '../../images/dialer/bounded-body.ts';
import { DialFault, type DialFaultKind } from '../../images/dialer/dial-fault.ts';
import { dialWords } from '../../images/dialer/dial-words.ts';
import type { Answer, Dialer } from '../../images/dialer/dialer.ts';
import { boatPath } from '../../lib/icon.ts';
import { type Problem, type Result, refuse, succeed } from '../../lib/problem.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { orRefuse } from '../requests/errors.ts';

const FetchedRecord = Type.Object({
  from: Type.String({ description: 'The final address, after redirects.' }),
  text: Type.String({ description: 'The text as the address returned it, without checks.' }),
});

const daySeconds = 86_400;

export function fetchEndpoint({ dialer }: { dialer: Dialer }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/fetchDocument',
      {
        config: { limit: 'fetch' },
        schema: {
          operationId: 'fetchDocument',
          summary: 'Fetch a configuration from an address',
          tags: ['configuration'],
          description:
            'Returns the text of a configuration at an address, for links to the dashboard (`/new?from=…`). The address must use HTTPS and be public. Pages of files on GitHub and GitLab are resolved.',
          access: 'public',
          refusals: ['document_unavailable'],
          querystring: Type.Object({
            from: Type.String({
              minLength: 1,
              maxLength: 2000,
              description: 'An https address on the public internet.',
            }),
          }),
          response: { 200: FetchedRecord, '4xx': ErrorRecord, 502: ErrorRecord },
        },
      },
      async ({ query }) => orRefuse(await fetchDocument(dialer, query.from)),
    );

    app.get('/badge.svg', { config: { limit: 'page' }, schema: { hide: true } }, async (_, reply) =>
      reply
        .type('image/svg+xml')
        // The badge is shown on pages of other sites.
        .header('Cross-Origin-Resource-Policy', 'cross-origin')
        .header('Cache-Control', `public, max-age=${daySeconds}`)
        .send(badge),
    );
  };
}

/** The picture of "Open in Berth" links. */
export const badge = `<svg xmlns="http://www.w3.org/2000/svg" width="126" height="28" role="img" aria-label="Open in Berth">
<title>Open in Berth</title>
<rect width="126" height="28" rx="5" fill="#17647f"/>
<path d="${boatPath}" fill="#fff" transform="translate(9 6)"/>
<text x="34" y="18.5" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11.5" textLength="84">Open in Berth</text>
</svg>
`;

/** A configuration from an address that a stranger has named: through the guarded dialer, bounded, and only if it is a text. */

/** The time from the first request to the last byte, redirects included. */
const maxMs = 15_000;

type FetchedDocument = {
  /** The URL of the text after redirects. */
  from: string;
  text: string;
};

/** The request contains no data of the caller, and only the text of the response is returned. */
async function fetchDocument(
  dialer: Dialer,
  written: string,
  signal: AbortSignal = AbortSignal.timeout(maxMs),
): Promise<Result<FetchedDocument>> {
  const address = URL.parse(written);
  if (address?.protocol !== 'https:' || address.username !== '' || address.password !== '') return notHttps;
  const requested = rawAddress(address);
  requested.hash = '';
  try {
    const answer = await dialer.request(requested, { method: 'GET', headers: asksFor, mayUseListed: false, signal });
    return await readAnswer(answer, signal);
  } catch (error) {
    if (signal.aborted) return unavailable(address.host, messageOf['too-slow']);
    if (error instanceof DialFault) return unavailable(error.host, messageOf[error.kind]);
    throw error;
  }
}

/** Requests no compression, because a compressed body expands to an unknown size. */
const asksFor = { accept: 'text/*, application/yaml, application/json', 'accept-encoding': 'identity' };

async function readAnswer({ status, headers, url, body }: Answer, signal: AbortSignal) {
  // A response that is too slow is aborted by its reader.
  signal.addEventListener('abort', () => body.destroy(), { once: true });
  if (status !== 200) {
    body.destroy();
    return unavailable(url.host, `answers with status ${status}`);
  }
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  if (type === 'text/html' || headers['content-encoding'] !== undefined || !textTypes.test(type)) {
    body.destroy();
    return unavailable(url.host, type === 'text/html' ? 'answers with a web page' : 'does not answer with plain text');
  }
  const text = readText(await readWhole(body, maxDocumentBytes, url.host));
  if (text === undefined) return unavailable(url.host, 'does not answer with plain text');
  if (/\p{Bidi_Control}/u.test(text))
    return unavailable(url.host, 'answers with text that contains invisible direction marks');
  return succeed<FetchedDocument>({ from: url.href, text });
}

/** Servers that do not know YAML send it as bytes, or without a type. */
const textTypes = /^(?:|text\/[\w.+-]+|application\/(?:x-)?yaml|application\/json|application\/octet-stream)$/;

/** Undefined if the text is not UTF-8 or contains invisible characters. */
function readText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are refused
    return /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const messageOf: Record<DialFaultKind, string> = {
  ...dialWords,
  'too-long': `answers with more than the ${maxDocumentBytes / 1024} KiB that a configuration may have`,
};

function unavailable(host: string, because: string): { ok: false; problem: Problem } {
  return refuse(
    'document_unavailable',
    `The address does not return a configuration: ${host} ${because}.`,
    'Give the https address of the file itself, as plain text that can be read without a login.',
  );
}

const notHttps = refuse(
  'invalid_request',
  'Configurations are only fetched from https addresses.',
  'Give the https address of the file, without a login in it.',
);

/** Where the text of a file is that a forge shows as a page. Pure. */

/** GitHub and GitLab have the page and the text of a file at different addresses; people copy that of the page. */
export function rawAddress(address: URL): URL {
  const { hostname, pathname } = address;
  const onGitHub = /^\/([^/]+)\/([^/]+)\/(?:blob|raw)\/(.+)$/.exec(pathname);
  if (hostname === 'github.com' && onGitHub) {
    const [, owner, repository, rest] = onGitHub;
    return new URL(`https://raw.githubusercontent.com/${owner}/${repository}/${rest}`);
  }
  if (hostname === 'gitlab.com' && pathname.includes('/-/blob/')) {
    return new URL(pathname.replace('/-/blob/', '/-/raw/'), address.origin);
  }
  return address;
}
