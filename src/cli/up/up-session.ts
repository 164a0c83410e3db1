/** Determines the session and the image namespace of a folder: from its saved session, or from a new one. */
import type { Problem } from '../../client/request.ts';
import type { Connection } from '../connect.ts';
import type { UpContext } from './up-context.ts';

export type UpSession = {
  connection: Connection;
  /** The first part of the names of its images. */
  namespace: string;
  /** The server's platform: `linux/amd64`. */
  platform: string;
  /** Volumes are initialized with the content of the image at their paths. */
  fillsVolumes: boolean;
};

/** Creates a session if necessary, and stores it before the first push, because its token is only shown once. */
export async function openSession(context: UpContext): Promise<UpSession | Problem> {
  const { connection, options, signal } = context;
  const { token, key, saved, server } = connection;
  const isAccount = token?.startsWith('berthkey_') ?? false;
  if (token !== undefined && (options.new !== true || isAccount)) {
    const limits = await connection.client.call('getLimits', { signal });
    const joined = options.new === true ? { ...connection, application: undefined } : connection;
    if (limits.ok) return sessionWith(joined, limits.value);
    // The folder's session has ended with its last deployment, so a new one is created.
    const isOver = limits.problem.code === 'session_not_found' && token === saved.sessionToken;
    if (!isOver) return limits.problem;
  }
  // A user with an API key starts it as the account.
  if (key !== undefined) return await joinAs(context, key, { server });
  const made = await connection.as(undefined).call('createSession', { signal });
  if (!made.ok) return made.problem;
  const { sessionToken } = made.value;
  const begun = { server, sessionToken };
  await context.saveSession(begun);
  return await joinAs(context, sessionToken, begun);
}

async function joinAs(
  { connection, signal }: UpContext,
  token: string,
  saved: Connection['saved'],
): Promise<UpSession | Problem> {
  const client = connection.as(token);
  const limits = await client.call('getLimits', { signal });
  if (!limits.ok) return limits.problem;
  return sessionWith({ ...connection, token, client, saved, application: undefined }, limits.value);
}

/** Earlier versions of the service do not return `images`. */
type Limits = { images?: { namespace?: string; platform: string; fillsVolumes?: boolean } };

function sessionWith(connection: Connection, { images }: Limits): UpSession | Problem {
  if (images === undefined)
    return {
      status: 501,
      code: 'service_too_old',
      error: `The service at ${connection.server} is an earlier version, which does not take folders.`,
      hint: 'Upgrade it, or deploy a document whose images are in a registry: "berth deploy FILE".',
    };
  return {
    connection,
    namespace: images.namespace ?? '',
    platform: images.platform,
    fillsVolumes: images.fillsVolumes ?? true,
  };
}
