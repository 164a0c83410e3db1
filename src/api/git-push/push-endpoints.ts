/**
 * `git push` to the service, over Git's HTTP protocol: https://git-scm.com/docs/http-protocol. The service speaks the protocol
 * itself, so no program reads options, hooks or files of a stranger. It keeps no repository: each push is unpacked like any
 * other source.
 */
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PacketError } from '../../builds/git/pkt-lines.ts';
import { advertisement, fatalAnswer, type PushRequest, readPush, shortRef } from '../../builds/git/push-commands.ts';
import { maxSourceBytes } from '../../builds/sources.ts';
import { printable } from '../../lib/printable.ts';
import { type Problem, type Result, refuse, succeed } from '../../lib/problem.ts';
import { createProofs } from '../admission/proof-challenges.ts';
import type { Service } from '../api-service.ts';
import type { Documents } from '../configuration/documents.ts';
import { configurationOfSource, goneOf, notOffered } from '../configuration/source-bodies.ts';
import { type Caller, findCaller } from '../requests/callers.ts';
import { clientKey } from '../requests/client-address.ts';
import { nothingHere, orRefuse, RefusedRequest } from '../requests/errors.ts';
import type { Limits } from '../requests/rate-limits.ts';
import { untilRevoked } from '../requests/revocation.ts';
import type { Streams } from '../requests/streams.ts';
import { deployPush, type Pushed, type PushParts } from './deploy-push.ts';
import { bearerOf, type PushAddress, readPushAddress, readPushOptions } from './push-address.ts';
import { conversation, inLines, refusalOf } from './push-answer.ts';

/** A build ends after 20 minutes. */
const longestFollowMs = 30 * 60_000;

const Params = Type.Object({ owner: Type.Optional(Type.String()), repository: Type.String() });
type Addressed = FastifyRequest<{ Params: { owner?: string; repository: string } }>;

const resultType = 'application/x-git-receive-pack-result';

export function pushEndpoints(
  service: Service,
  documents: Documents,
  limits: Limits,
  streams: Streams,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    const parts: PushParts = { service, documents, limits, proofs: createProofs(service) };
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());
    service.leaving?.addEventListener('abort', () => closing.abort());

    app.addHook('onRequest', async ({ headers }) => {
      headers.authorization = bearerOf(headers.authorization);
    });
    app.addHook('onSend', answerInText);
    app.addContentTypeParser('application/x-git-receive-pack-request', async (_: unknown, body: unknown) => body);

    const options = { schema: { hide: true, params: Params } };
    for (const base of ['/git/:repository', '/git/:owner/:repository']) {
      app.get(
        `${base}/info/refs`,
        {
          ...options,
          schema: { ...options.schema, querystring: Type.Object({ service: Type.Optional(Type.String()) }) },
        },
        async (request, reply) => {
          const { service: requested } = request.query;
          if (requested !== 'git-receive-pack') throw new RefusedRequest(onlyPushes);
          await callerOf(service, request);
          if (!service.builds) throw new RefusedRequest(notOffered.problem);
          return reply
            .type('application/x-git-receive-pack-advertisement')
            .header('Cache-Control', 'no-cache')
            .send(advertisement);
        },
      );
      app.post(
        `${base}/git-receive-pack`,
        // The credentials are checked before the body is received.
        {
          ...options,
          config: { isDocument: true, takesSources: true },
          onRequest: async (request) => void (await callerOf(service, request as Addressed)),
        },
        async (request, reply) => {
          reply.type(resultType).header('Cache-Control', 'no-cache');
          const { address, caller } = await callerOf(service, request);
          const push = await readBody(request);
          if (push.commands.length === 0) return reply.send('');
          const wanted = readWanted(push);
          const pushed = wanted.ok
            ? await receive(parts, request, reply, { address, caller, pack: push.pack, wanted: wanted.value })
            : wanted;
          if (!pushed.ok) {
            await discard(request.raw.iterator({ destroyOnReturn: false }));
            return reply.send(refusalOf(push.commands, pushed.problem));
          }
          const tooMany = streams.open(request, reply, pushed.value.deployment.sessionId);
          const stop = AbortSignal.any([
            ...[closing.signal, untilRevoked(service, request, reply, {}).stop],
            ...(tooMany ? [AbortSignal.abort()] : [AbortSignal.timeout(longestFollowMs)]),
          ]);
          const answer = conversation(service, { commands: push.commands, pushed: pushed.value, stop });
          return reply.send(Readable.from(answer, { objectMode: false }));
        },
      );
    }
  };
}

/** Throws RefusedRequest for an invalid address or invalid credentials, and for missing ones where they are required. */
async function callerOf(
  service: Service,
  request: Addressed,
): Promise<{ address: PushAddress; caller: Caller | undefined }> {
  const address = readPushAddress(request.params.owner, request.params.repository);
  if (!address) throw new RefusedRequest(noName);
  const caller = orRefuse(await findCaller(service, request, {}));
  if (!caller && address.isOwn) throw new RefusedRequest(noCredentials);
  return { address, caller };
}

async function readBody(request: FastifyRequest) {
  try {
    // A refusal in the middle is answered on the same connection.
    return await readPush(request.raw.iterator({ destroyOnReturn: false }));
  } catch (error) {
    if (error instanceof PacketError) throw new RefusedRequest(unreadable);
    throw error;
  }
}

type Wanted = { ref: string; hash: string; path: string[] };

/** The only branch or tag of a push, and the folder of its source. */
function readWanted({ commands, options }: Pick<PushRequest, 'commands' | 'options'>): Result<Wanted> {
  const [command, ...others] = commands;
  if (!command?.hash || others.length > 0 || !/^refs\/(?:heads|tags)\/./.test(command.ref)) return onlyOneRef;
  const read = readPushOptions(options);
  return read.ok ? succeed({ ref: command.ref, hash: command.hash, ...read.value }) : read;
}

type Receiving = {
  address: PushAddress;
  caller: Caller | undefined;
  wanted: Wanted;
  pack: AsyncIterable<Buffer>;
};

async function receive(
  parts: PushParts,
  request: Addressed,
  reply: FastifyReply,
  { address, caller, wanted, pack }: Receiving,
): Promise<Result<Pushed>> {
  const { service, documents } = parts;
  const { builds, settings } = service;
  if (!builds) return notOffered;
  const { applicationName: name } = address;
  const pushed = { ...wanted, ref: printable(shortRef(wanted.ref)), name };
  const received = await builds.sources.receivePush(pack, clientKey(request, settings.networkPool), pushed);
  if (!received.ok) return received;
  try {
    const opening = { sourceId: received.value, name, signal: goneOf(reply) };
    const { headers, routeOptions } = request;
    const reading = { headers, routeOptions, query: {} };
    const configuration = await configurationOfSource(documents, service, reading, opening);
    if (!configuration.ok) return configuration;
    return await deployPush(parts, request, { address, caller, configuration: configuration.value });
  } finally {
    await builds.sources.release(received.value);
  }
}

/** The data that a client still sends after a refusal, so that it then reads the response. */
async function discard(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxSourceBytes) return;
  }
}

/** Git shows the text of a refused GET. Of a refused POST it shows only the status, so that one is an answer that fails. */
async function answerInText(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const isProblem = reply.statusCode >= 400 && typeof payload === 'string';
  if (!isProblem) return payload;
  const text = inLines(JSON.parse(payload)).map(printable).join('\n');
  // Git forgets a password after this status only.
  if (request.headers.authorization && reply.statusCode === 404 && /"session_not_found"/.test(payload))
    reply.status(401);
  if (reply.statusCode === 401) reply.header('WWW-Authenticate', 'Basic realm="Berth"');
  if (request.method === 'GET' || reply.statusCode === 401) {
    reply.type('text/plain; charset=utf-8');
    return `${text}\n`;
  }
  reply.status(200).type(resultType);
  return fatalAnswer(`${text}\n`);
}

const onlyPushes: Problem = {
  code: 'invalid_request',
  error: 'This repository only receives pushes.',
  hint: 'Use git push.',
};

const noName: Problem = {
  ...nothingHere,
  error: 'The address does not name an application.',
  hint: 'Use /git/<name>.git with 3 to 64 lowercase letters, digits and hyphens.',
};

const noCredentials: Problem = {
  code: 'missing_token',
  error: 'The password is missing.',
  hint: 'Use a session token or an API key as the password, with any user name.',
};

const unreadable: Problem = {
  code: 'invalid_request',
  error: 'The request is not a push that this service can read.',
  hint: 'Use a current version of git.',
};

const onlyOneRef = refuse(
  'invalid_request',
  'A push deploys one branch or one tag.',
  'Push it alone, for example: git push berth main',
);
