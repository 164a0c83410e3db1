/** Creates an API key, for a signed-in user or for a command line whose login the user has confirmed. */
import type { Instant } from '../../deployment/deployment.ts';
import { newId, newToken } from '../../lib/ids.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { addApiKey, apiKeysOf } from '../../store/api-keys.ts';
import type { Database } from '../../store/database.ts';
import { apiKeyPrefix } from '../requests/callers.ts';

/** More than a user can distinguish. Limits what one account can store. */
const maxKeys = 50;
/** Of its 32 random letters, so many are shown later: enough to know it by, too few to guess it. */
const shownLetters = 4;

export type NewApiKey = { id: string; name: string; key: string };

export async function roomForKey(db: Database, accountId: string): Promise<Result<undefined>> {
  if ((await apiKeysOf(db, accountId)).length < maxKeys) return succeed(undefined);
  return refuse(
    'plan_limit_reached',
    `An account has at most ${maxKeys} API keys.`,
    'Revoke a key that you no longer use.',
  );
}

/** The key is stored hashed, so it is only returned here. */
export async function makeApiKey(
  db: Database,
  accountId: string,
  { name, createdAt }: { name: string; createdAt: Instant },
): Promise<Result<NewApiKey>> {
  const room = await roomForKey(db, accountId);
  if (!room.ok) return room;
  const [id, key] = [newId(), newToken(apiKeyPrefix)];
  const start = key.slice(0, apiKeyPrefix.length + 1 + shownLetters);
  await addApiKey(db, accountId, { id, name, key, start, createdAt });
  return succeed({ id, name, key });
}
