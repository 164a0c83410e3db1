/** PURE. Computes shares, rates and response times from counters of two measurements. */
import { answerBoundsMs, type RequestCounts, type Used, type WorkloadUse } from './use.ts';

export const podNames = ['cpuMillis', 'memoryBytes', 'receivedBytesPerSecond', 'sentBytesPerSecond'] as const;
export type PodValues = Record<(typeof podNames)[number], number | null>;

export const siteNames = [
  'requestsPerSecond',
  'clientErrorsPerSecond',
  'serverErrorsPerSecond',
  'p50Ms',
  'p95Ms',
] as const;
export type SiteValues = Record<(typeof siteNames)[number], number | null>;

/** `elapsedMs`: by a monotonic clock. Without a previous measurement, only the memory is known. */
export function podValues(before: WorkloadUse | undefined, now: WorkloadUse, elapsedMs: number): PodValues {
  if (!before || elapsedMs <= 0)
    return { cpuMillis: null, memoryBytes: now.memoryBytes, receivedBytesPerSecond: null, sentBytesPerSecond: null };
  const isSameStart = before.startedAt === now.startedAt && before.revision === now.revision;
  const since = (of: keyof Used) => (isSameStart && now[of] >= before[of] ? now[of] - before[of] : now[of]);
  const perSecond = (of: keyof Used) => (since(of) / elapsedMs) * 1_000;
  return {
    // Milliseconds per second equal thousandths of a processor.
    cpuMillis: perSecond('cpuMs'),
    memoryBytes: now.memoryBytes,
    receivedBytesPerSecond: perSecond('receivedBytes'),
    sentBytesPerSecond: perSecond('sentBytes'),
  };
}

export function siteValues(counts: RequestCounts, elapsedMs: number): SiteValues {
  const perSecond = (count: number) => (elapsedMs > 0 ? (count / elapsedMs) * 1_000 : null);
  return {
    requestsPerSecond: perSecond(counts.requests),
    clientErrorsPerSecond: perSecond(counts.clientErrors),
    serverErrorsPerSecond: perSecond(counts.serverErrors),
    p50Ms: quantileMs(counts.tookWithin, 0.5),
    p95Ms: quantileMs(counts.tookWithin, 0.95),
  };
}

/**
 * Returns the time in milliseconds within which this share of the responses came. Between two bounds, an even
 * distribution is assumed. Responses slower than the last bound count as that bound. Null without responses.
 */
export function quantileMs(tookWithin: readonly number[], share: number): number | null {
  const all = tookWithin.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let below = 0;
  for (const [index, count] of tookWithin.entries()) {
    if (count > 0 && below + count >= share * all) {
      const [from, to] = [answerBoundsMs[index - 1] ?? 0, answerBoundsMs[index] ?? answerBoundsMs.at(-1)!];
      return from + ((share * all - below) / count) * (to - from);
    }
    below += count;
  }
  return answerBoundsMs.at(-1)!;
}
