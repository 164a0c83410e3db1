/** A Git server of a test: repositories over HTTPS, served by Git's own program for that. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { makeCertificate } from './certificate.ts';
import { listenAndCount } from './counting-server.ts';

const run = promisify(execFile);

/** Nothing of the user who runs the test. */
const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'A test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'A test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

export type Repository = {
  /** Runs `git` in the work tree, and returns what it prints. */
  git(...words: string[]): Promise<string>;
  /** Writes files and commits them all. `links`: targets of symbolic links. Returns the hash of the commit. */
  commit(files: Record<string, string | Buffer>, links?: Record<string, string>): Promise<string>;
  /** Runs `git push`. `shown`: what it prints, without the mark of lines of the server. */
  push(...words: string[]): Promise<{ isAccepted: boolean; stderr: string; shown: string }>;
};

export type GitServer = AsyncDisposable & {
  /** `host:port`. */
  host: string;
  certificate: string;
  /** The `Authorization` header of each request. */
  authorizations: (string | undefined)[];
  /** Paths that the test answers itself. */
  routes: Map<string, RequestListener>;
  url(name: string): string;
  create(name: string): Promise<Repository>;
};

/** `login`: the `user:password` that each request must have. */
export async function startGitServer({ login }: { login?: string } = {}): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'berth-git-'));
  const { key, cert } = await makeCertificate('IP:127.0.0.1', 'DNS:git.example');
  const backend = join((await run('git', ['--exec-path'])).stdout.trim(), 'git-http-backend');
  const authorizations: (string | undefined)[] = [];
  const routes = new Map<string, RequestListener>();
  const expected = login && `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer({ key, cert }, (request, response) => {
    authorizations.push(request.headers.authorization);
    const route = routes.get(new URL(request.url!, 'https://x').pathname);
    if (route) return route(request, response);
    if (expected && request.headers.authorization !== expected) return void response.writeHead(401).end();
    serve(backend, root, request, response);
  });
  const { port, close } = await listenAndCount(server, '127.0.0.1');
  const host = `127.0.0.1:${port}`;
  return {
    host,
    certificate: cert,
    authorizations,
    routes,
    url: (name) => `https://${host}/${name}`,
    create: (name) => createRepository(join(root, name)),
    async [Symbol.asyncDispose]() {
      await close();
      await rm(root, { recursive: true });
    },
  };
}

/** A new repository with the branch `main`, without commits. */
export async function createRepository(folder: string): Promise<Repository> {
  const start = async (...words: string[]) =>
    await run('git', ['-C', folder, ...words], { env: environment, maxBuffer: 2 ** 28 });
  const git = async (...words: string[]) => (await start(...words)).stdout.trim();
  await mkdir(folder, { recursive: true });
  await git('init', '--quiet', '--initial-branch', 'main');
  return {
    git,
    async push(...words) {
      const ended = await start('push', ...words).then(
        ({ stderr }) => ({ isAccepted: true, stderr }),
        ({ stderr }: { stderr: string }) => ({ isAccepted: false, stderr }),
      );
      return {
        ...ended,
        shown: stripVTControlCharacters(ended.stderr)
          .replaceAll(/^remote: ?/gm, '')
          .replaceAll(/ +$/gm, ''),
      };
    },
    async commit(files, links = {}) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
      for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path));
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', 'a commit');
      return await git('rev-parse', 'HEAD');
    },
  };
}

/** Implements CGI: the request in variables and on standard input, headers and the body on standard output. */
function serve(backend: string, root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url!, 'https://x');
  const child = spawn(backend, {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (piece: Buffer) => {
    if (response.headersSent) return void response.write(piece);
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const headers = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, headers.filter(([name]) => name !== 'Status').flat());
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}
