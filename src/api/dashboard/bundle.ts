/** The built dashboard in memory. A request selects one of these files by its path and never reads the disk. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../lib/html.ts';

type Encoding = 'br' | 'gzip' | 'identity';
export type Asset = { type: string; bodies: Partial<Record<Encoding, Buffer>> };

export type Dashboard = {
  assets: ReadonlyMap<string, Asset>;
  /** Returns the page for every path of the dashboard, with a policy that allows only its own scripts and styles. */
  page(): { html: string; policy: string };
};

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
};
const yearSeconds = 31_536_000;
const encodings = { '.br': 'br', '.gz': 'gzip' } as const;

/**
 * The placeholder in the built page. It is replaced by a new nonce in every response, so that only our own styles
 * apply.
 */
const noncePlace = '%NONCE%';
const originPlace = '%ORIGIN%';
const termsPlace = '%TERMS%';

/** Facts about the service in the page: the address for clients, and that of the terms of use. */
export type PageFacts = { baseUrl: URL; termsUrl?: URL | undefined };

/** Undefined when none was built. */
export async function readDashboard(folder: string, { baseUrl, termsUrl }: PageFacts): Promise<Dashboard | undefined> {
  const built = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (built === undefined) return undefined;
  const template = built
    .replaceAll(originPlace, escapeHtml(baseUrl.origin))
    .replaceAll(termsPlace, escapeHtml(termsUrl?.href ?? ''));
  const inline = Array.from(
    template.matchAll(/<script>([\s\S]*?)<\/script>/g),
    ([, code]) => `'sha256-${sha256(code!)}'`,
  );
  return {
    assets: await readAssets(join(folder, 'assets')),
    page() {
      const nonce = randomBytes(18).toString('base64');
      return { html: template.replaceAll(noncePlace, nonce), policy: policy(inline, nonce, baseUrl) };
    },
  };
}

/** Returns all files of a folder by their relative paths. Undefined if the folder is missing. */
export async function readSite(folder: string): Promise<Map<string, Asset> | undefined> {
  return existsSync(folder) ? readAssets(folder) : undefined;
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    const ending = extname(file);
    const encoding = ending in encodings ? encodings[ending as keyof typeof encodings] : 'identity';
    const name = encoding === 'identity' ? file : file.slice(0, -ending.length);
    const asset = assets.get(name) ?? { type: types[extname(name)] ?? 'application/octet-stream', bodies: {} };
    asset.bodies[encoding] = await readFile(path);
    assets.set(name, asset);
  }
  return assets;
}

/** @param isHashed its name contains a hash of its content, so that browsers may keep it. */
export function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply, isHashed: boolean): FastifyReply {
  const { encoding, body } = bodyFor(asset, request.headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  if (isHashed) reply.header('Cache-Control', `public, max-age=${yearSeconds}, immutable`);
  return reply.header('Vary', 'Accept-Encoding').type(asset.type).send(body);
}

/** The smallest body that the client reads. */
function bodyFor({ bodies }: Asset, accepted: string | undefined): { encoding: Encoding; body: Buffer } {
  for (const encoding of ['br', 'gzip'] as const) {
    const body = bodies[encoding];
    if (body && new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted ?? '')) {
      return { encoding, body };
    }
  }
  return { encoding: 'identity', body: bodies.identity! };
}

/**
 * The editor adds its own styles and marks them with the nonce. Scripts are files of the dashboard, or are allowed by
 * their hash.
 */
function policy(inlineScripts: string[], nonce: string, { protocol }: URL): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${inlineScripts.join(' ')}`.trim(),
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...(protocol === 'https:' ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
