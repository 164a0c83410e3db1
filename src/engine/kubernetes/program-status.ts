/** PURE. How a program in a pod ended, as reported by the cluster. */
import type { V1Status } from '@kubernetes/client-node';

/** `words`: the cluster's message if the program could not be started and has no code. */
export type ProgramStatus = { code?: number; words?: string };

export function statusOf({ status, details, message }: V1Status): ProgramStatus {
  if (status === 'Success') return { code: 0 };
  const causes = (details?.causes ?? []) as { reason?: string; message?: string }[];
  const told = causes.find(({ reason }) => reason === 'ExitCode')?.message;
  return told === undefined ? { words: message ?? '' } : { code: Number(told) };
}
