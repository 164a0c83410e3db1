/** Refusals are values. Faults (bugs, a broken disk) throw and end at the API's boundary or in the control loop. */
import type { ProblemCode } from './problem-codes.ts';

/** `error` says what is wrong, `hint` what to do next; `errors` lists the single faults of a configuration. */
export type Problem = {
  code: ProblemCode;
  error: string;
  hint?: string;
  errors?: string[];
  /** The same faults as values, with what is only odd. */
  diagnostics?: readonly object[];
  /** When a second try may go better. */
  retryAfterSeconds?: number;
  /** The challenge that the caller must solve first. */
  challenge?: unknown;
};

export type Result<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refuse(code: ProblemCode, error: string, hint?: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { code, error, ...(hint && { hint }) } };
}
