/** The resource usage of a deployment, requested regularly while the page is visible. */
import { useEffect } from 'react';
import { useNow } from '../parts/now.ts';
import { type AnswerState, useAnswer } from '../parts/use-answer.ts';
import { metricsOf, type Target } from '../service/calls.ts';
import type { DeploymentMetrics } from '../service/records.ts';

/** The interval of measurements. */
const askEveryMs = 10_000;

export type Range = 'hour' | 'day';

export function useMetrics(target: Target, range: Range): AnswerState<DeploymentMetrics> {
  const requested = useAnswer(range, () => metricsOf(target, range));
  const now = useNow(askEveryMs);
  const { reload } = requested;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time says when to ask again
  useEffect(() => reload(), [now, reload]);
  return requested;
}
