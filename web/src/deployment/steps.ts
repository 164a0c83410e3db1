/** The steps of a revision from the request to live. Pure. */
import { printBytes } from '../../../src/config/values/units.ts';
import type { EventOf } from '../../../src/deployment/event/event.ts';
import type { PodState, Status } from '../service/records.ts';
import { isLive, requestedRevision, type StreamedEvent } from './event-text.ts';

export type Step = {
  name: string;
  /** `degraded`: done, and not well. */
  state: 'done' | 'now' | 'waiting' | 'failed' | 'degraded';
  /** The present activity, or the cause of the delay. */
  says?: string;
  /** Milliseconds after the request of the revision. */
  afterMs?: number;
};

/** The last step. */
const onTheWeb = 'On the web';
const images = 'Images';

export type Journey = {
  revision: number;
  startedAt: number;
  /** Milliseconds from the request to live; absent until then. */
  tookMs?: number;
  steps: Step[];
};

/** Returns the steps of the revision that was requested last. Undefined before the events have loaded. */
export function journeyOf(
  events: readonly StreamedEvent[],
  status: Pick<Status, 'state' | 'pods' | 'servingRevision'>,
): Journey | undefined {
  const begin = events.findLastIndex((event) => requestedRevision(event) !== undefined);
  const first = events[begin];
  if (!first) return undefined;
  const run = events.slice(begin + 1);
  const startedAt = Date.parse(first.firstAt);
  const after = (event: StreamedEvent | undefined) => (event ? { afterMs: Date.parse(event.firstAt) - startedAt } : {});
  const live = run.find(isLive);
  const steps: Step[] = [
    { name: 'Configuration accepted', state: 'done', afterMs: 0 },
    ...preparation(
      run,
      { isOver: live !== undefined, isMissing: lacksImage(run, status, requestedRevision(first)!) },
      after,
    ),
    ...(status.pods ?? []).map((pod) => podStep(pod, run, after)),
    { name: onTheWeb, ...(live ? { state: 'done', ...after(live) } : { state: 'waiting' }) },
  ];
  return {
    revision: requestedRevision(first)!,
    startedAt,
    steps: asOf(status, steps),
    ...(live && { tookMs: Date.parse(live.firstAt) - startedAt }),
  };
}

type After = (event: StreamedEvent | undefined) => { afterMs?: number };

/** Network, volumes and images: as far as there was something to do about them. */
function preparation(
  run: readonly StreamedEvent[],
  { isOver, isMissing }: { isOver: boolean; isMissing: boolean },
  after: After,
): Step[] {
  const starts = run.filter((event) => isOperation(event, 'start'));
  const grounds = run.filter((event) => isOperation(event, 'create-network') || isOperation(event, 'create-volume'));
  const pulls = run.filter((event) => isOperation(event, 'pull'));
  const hasBegun = starts.length > 0 || isOver;
  const ground: Step[] =
    grounds.length > 0 ? [{ name: 'Network and volumes', state: 'done', ...after(grounds.at(-1)) }] : [];
  const fetching: Step = hasBegun
    ? {
        name: images,
        state: isMissing ? 'failed' : 'done',
        ...(!isMissing && after(pulls.at(-1))),
        ...(pulls.length > 0 && { says: `${pulls.length} downloaded` }),
      }
    : { name: images, state: 'waiting' };
  return [...ground, fetching];
}

/** A failed pod that this revision has never started lacks its image. */
function lacksImage(
  run: readonly StreamedEvent[],
  { state, pods = [] }: Pick<Status, 'state' | 'pods'>,
  revision: number,
) {
  const started = new Set(
    run.flatMap((event) => (event.kind === 'operation' && event.operation === 'start' ? [event.pod] : [])),
  );
  const isUnstarted = (pod: PodState) => pod.state === 'failed' && pod.revision === revision && !started.has(pod.name);
  return state === 'failed' && pods.some(isUnstarted);
}

function podStep({ name, state, message, pulling }: PodState, run: readonly StreamedEvent[], after: After): Step {
  const said = message === undefined ? {} : { says: message };
  switch (state) {
    case 'ready': {
      // After a failed update, the pods of the serving revision are reported as ready again.
      const isNew = run.some((event) => event.kind === 'operation' && 'pod' in event && event.pod === name);
      const ready = run.find((event) => event.kind === 'pod' && event.pod === name && event.state === 'ready' && isNew);
      return { name, state: 'done', ...(ready ? after(ready) : { says: 'stays as it was' }) };
    }
    case 'failed':
      return { name, state: 'failed', ...said };
    case 'degraded':
      return { name, state: 'degraded', ...said };
    case 'starting':
      return { name, state: 'now', ...said };
    case 'waiting':
      return { name, state: 'waiting', ...(pulling ? { says: howMuch(pulling) } : said) };
  }
}

function howMuch({ doneBytes, totalBytes }: NonNullable<PodState['pulling']>): string {
  return `pulling ${printBytes(doneBytes)} of ${printBytes(totalBytes)}`;
}

function asOf({ state, servingRevision }: Pick<Status, 'state' | 'servingRevision'>, steps: readonly Step[]): Step[] {
  if (state === 'deploying') return withPresent(steps);
  return state === 'failed' ? steps.map((step) => withoutHope(step, servingRevision ?? undefined)) : [...steps];
}

/** After a failure, no step is pending: without images, no pod has started, and the address is unchanged. */
function withoutHope(step: Step, servingRevision: number | undefined): Step {
  if (step.state !== 'waiting') return step;
  if (step.name === images) return { ...step, state: 'failed' };
  if (step.name !== onTheWeb) return step;
  if (servingRevision === undefined) return { ...step, state: 'failed' };
  return { ...step, state: 'degraded', says: `unchanged: revision ${servingRevision} serves` };
}

/** If no step is marked as current, the first incomplete one is. */
function withPresent(steps: readonly Step[]): Step[] {
  if (steps.some(({ state }) => state === 'now')) return [...steps];
  const next = steps.findIndex(({ state }) => state === 'waiting');
  return steps.map((step, index) => (index === next ? { ...step, state: 'now', ...saysOf(step) } : step));
}

function saysOf({ name }: Step): { says?: string } {
  return name === images ? { says: 'resolving them, downloading missing ones' } : {};
}

/** The sentence for what is happening. */
export function presentOf({ steps }: Journey): string {
  const now = steps.filter(({ state }) => state === 'now').at(-1);
  if (!now) return '';
  if (now.name === images) return 'Fetching the images';
  if (now.name === onTheWeb) return 'Switching the address over';
  return `Waiting for ${now.name}${now.says === undefined ? '' : `: ${now.says}`}`;
}

function isOperation(event: StreamedEvent, operation: EventOf<'operation'>['operation']): boolean {
  return event.kind === 'operation' && event.operation === operation;
}
