/**
 * How long it takes until an application answers with the data of a snapshot: restored in place, and as a new
 * deployment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { send } from './http.ts';
import type { Service, Started } from './service.ts';

export type RestoreTimes = {
  /** From the request until the response has the restored data. */
  inPlaceSeconds: number;
  /** The longest time without a response, while the volumes are swapped. */
  awaySeconds: number;
  /** From the request until the other deployment responds. */
  newSeconds: number;
};

const lookMs = 25;
const patienceMs = 600_000;

/** The newest snapshot, all volumes. */
export async function measureRestores(
  service: Service,
  started: Started,
  page: string,
  signal: AbortSignal,
): Promise<RestoreTimes> {
  const { sessionToken, applicationName } = started;
  const named = { sessionToken, applicationName };
  const reported = async () => JSON.parse((await service.get(`/getSnapshots?${new URLSearchParams(named)}`)).body);
  const snapshot = (await reported()).snapshots.find(({ state }: { state: string }) => state === 'taken').id;
  const restore = async (more: object) => {
    const requested = JSON.stringify({ ...named, snapshot, ...more });
    const { status, body } = await service.post('/restoreSnapshot', 'application/json', requested);
    if (status !== 200) throw new Error(`A restore was refused: ${body}`);
    return JSON.parse(body);
  };
  const isAnswered = async (host: string) =>
    (await send({ host, port: service.port, path: page }, signal).catch(() => undefined))?.status === 200;

  const isRestored = async () => {
    const [{ state, problem }] = (await reported()).restores;
    if (state === 'failed') throw new Error(`A restore failed: ${problem}`);
    return state === 'done';
  };
  const secondsFrom = (instant: number) => (performance.now() - instant) / 1000;

  const begunAt = performance.now();
  await restore({});
  let answeredAt = begunAt;
  let awaySeconds = 0;
  for (let isOver = false; !isOver; ) {
    if (performance.now() > begunAt + patienceMs) throw new Error('It is not restored in time.');
    const wasRestored = await isRestored();
    if (await isAnswered(started.host)) {
      awaySeconds = Math.max(awaySeconds, secondsFrom(answeredAt));
      answeredAt = performance.now();
      isOver = wasRestored;
    }
    await delay(lookMs, undefined, { signal });
  }
  const inPlaceSeconds = (answeredAt - begunAt) / 1000;

  const newAt = performance.now();
  const { started: other } = await restore({ beside: true });
  const { host } = new URL(other.url);
  while (!(await isAnswered(host))) {
    if (performance.now() > newAt + patienceMs) throw new Error('The restored copy does not respond in time.');
    await delay(lookMs, undefined, { signal });
  }
  const newSeconds = secondsFrom(newAt);
  await service.requestRemoval({ ...other, host, ms: 0 });
  return { inPlaceSeconds, awaySeconds, newSeconds };
}
