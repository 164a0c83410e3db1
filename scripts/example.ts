/** The example application: deployed through the HTTP API like a user's, once, and found again at the next start. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sendWithProof } from '../src/lib/proof-of-work.ts';
import { StartError } from '../src/lib/start-error.ts';
import type { Settings } from '../src/settings/settings.ts';

const pollMs = 250;
const patienceMs = 12 * 60_000;

/** Written before the request is sent, so that an interrupted start finds its deployment again with the key. */
type SavedSession = { idempotencyKey: string; sessionToken?: string };
type Status = { state: string; progress?: number; message?: string; pods?: { name: string; state: string }[] };
type Answer = { url: string; environment: string; status: Status; sessionToken?: string; error?: string };

/** Deploys the example unless it runs already, shows its progress, and prints its URL. */
export async function deployExample(
  name: string,
  settings: Pick<Settings, 'dataDir' | 'host' | 'port' | 'baseUrl'>,
): Promise<void> {
  const sessionFile = join(settings.dataDir, `example-${name}.json`);
  const api = `http://${settings.host === '0.0.0.0' ? '127.0.0.1' : settings.host}:${settings.port}`;
  const remembered = await readSession(sessionFile);
  const known = remembered?.sessionToken ? await status(api, name, remembered.sessionToken) : undefined;

  const saved = known ? remembered! : await start(api, name, sessionFile, remembered);
  const { environment } = await followUntilLive(name, () => status(api, name, saved.sessionToken!));
  // A browser that has not started the deployment requests the token.
  console.log(`  Its page is ${settings.baseUrl.origin}/d/${environment}/${name}: give it the token in ${sessionFile}`);
}

async function start(
  api: string,
  name: string,
  sessionFile: string,
  remembered: SavedSession | undefined,
): Promise<SavedSession> {
  // A key without a token belongs to a start that was cut off; one with a token to a deployment that has ended.
  const isCutOff = remembered && !remembered.sessionToken;
  const idempotencyKey = isCutOff ? remembered.idempotencyKey : randomUUID();
  await writeFile(sessionFile, JSON.stringify({ idempotencyKey }), { mode: 0o600 });
  const body = await readFile(fileURLToPath(new URL(`../examples/${name}.yaml`, import.meta.url)));
  const headers = { 'Content-Type': 'text/x-yaml', 'Idempotency-Key': idempotencyKey };
  const response = await sendWithProof((proof) =>
    fetch(`${api}/startUserDeployment`, { method: 'POST', headers: { ...headers, ...proof }, body }),
  );
  const answer = (await response.json()) as Answer;
  if (!response.ok) throw new StartError(`The example was not accepted: ${answer.error}`);
  const saved = { idempotencyKey, sessionToken: answer.sessionToken! };
  await writeFile(sessionFile, JSON.stringify(saved), { mode: 0o600 });
  return saved;
}

async function status(api: string, applicationName: string, sessionToken: string): Promise<Answer | undefined> {
  const response = await fetch(`${api}/getDeploymentStatus?${new URLSearchParams({ applicationName })}`, {
    headers: { Authorization: `Bearer ${sessionToken}` },
  });
  if (response.status === 429) {
    await delay(Number(response.headers.get('retry-after')) * 1000);
    return await status(api, applicationName, sessionToken);
  }
  return response.ok ? ((await response.json()) as Answer) : undefined;
}

async function followUntilLive(name: string, look: () => Promise<Answer | undefined>): Promise<Answer> {
  const show = createDisplay();
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const answer = await look();
    if (!answer) throw new StartError(`The example ${name} has ended before it was live.`);
    const { url, status } = answer;
    if (status.state === 'running') {
      show.end(`  ${name} is live at ${url}`);
      return answer;
    }
    if (status.state === 'failed') throw new StartError(`The example ${name} failed: ${status.message}`);
    const pods = (status.pods ?? []).map((pod) => `${pod.name} ${pod.state}`).join(', ');
    show.line(`  Deploying ${name}: ${status.progress ?? 0} %${pods && ` (${pods})`}`);
    await delay(pollMs);
  }
  throw new StartError(`The example ${name} is still not live; see the log.`);
}

/** On a terminal, rewrites one line. Otherwise, prints a line for each change. */
function createDisplay() {
  let last = '';
  const isTerminal = process.stdout.isTTY;
  return {
    line(text: string) {
      if (text === last) return;
      last = text;
      process.stdout.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
    },
    end(text: string) {
      process.stdout.write(`${isTerminal ? '\r\x1b[K' : ''}${text}\n`);
    },
  };
}

async function readSession(file: string): Promise<SavedSession | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SavedSession;
  } catch {
    // Missing, or cut off by a crash: a new deployment is the way on.
    return undefined;
  }
}
