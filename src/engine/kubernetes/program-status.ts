/** PURE. How a program in a pod has ended, as the cluster tells it. */
import type { V1Status } from '@kubernetes/client-node';

/** `words`: of the cluster, where there is no code because it was not started. */
export type ProgramStatus = { code?: number; words?: string };

export function statusOf({ status, details, message }: V1Status): ProgramStatus {
  if (status === 'Success') return { code: 0 };
  const causes = (details?.causes ?? []) as { reason?: string; message?: string }[];
  const told = causes.find(({ reason }) => reason === 'ExitCode')?.message;
  return told === undefined ? { words: message ?? '' } : { code: Number(told) };
}
