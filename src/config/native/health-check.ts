/** `healthCheck` of a pod: a path to GET, a command to run in the container, or no check. Pure. */
import type { Report } from '../diagnostics/report.ts';
import { childOf, type Field, textOf } from '../document/tree.ts';
import type { CheckTimes, HealthCheck } from '../spec/spec.ts';
import { readPort } from '../values/units.ts';
import { booleanOf, integerOf } from './scalars.ts';

/** Each command costs a process in the container and one of the engine, about 50 ms of processor time (measured). */
const longestSeconds = 60;

/** The check is stored in a label of the container, which each listing reads. */
const maxCharacters = 16 * 1024;

/** `command`: the words of the command, if any. */
export function readHealthCheck(
  check: Field,
  command: string[] | undefined,
  firstPort: number | undefined,
  report: Report,
): HealthCheck | undefined {
  if (booleanOf(childOf(check, 'disabled'))) return { disabled: true };
  const path = textOf(childOf(check, 'path'));
  const times = readTimes(check);
  if (command) {
    reportCommand(check, command, report);
    reportBounds(check, times, report);
    return { command, ...boundTimes(times) };
  }
  const { startPeriodSeconds } = times;
  if (startPeriodSeconds !== undefined && namesNothingElse(check)) return { startPeriodSeconds };
  if (path === undefined && !report.isBroken([...check.path, 'path'])) {
    const hint = 'for example /healthz; or "command: pg_isready", which is run in the container';
    report.error(check.path, 'missing-field', 'is missing', { key: 'path', hint });
  }
  return { path: path ?? '/', port: readPort(textOf(childOf(check, 'port')) ?? '') ?? firstPort ?? 80, ...times };
}

function namesNothingElse({ tree }: Field): boolean {
  return tree.kind === 'map' && tree.entries.size === 1;
}

/** Limits the times of a command to bound its cost. */
export function boundTimes<T extends Pick<CheckTimes, 'periodSeconds' | 'timeoutSeconds'>>(times: T): T {
  const { periodSeconds, timeoutSeconds } = times;
  return {
    ...times,
    periodSeconds: Math.min(periodSeconds, longestSeconds),
    timeoutSeconds: Math.min(timeoutSeconds, longestSeconds),
  };
}

/** Returns why the command cannot be run. Undefined if it can. */
export function commandProblem(command: readonly string[]): { message: string; hint: string } | undefined {
  if (!command[0]?.trim()) return { message: 'names no program', hint: 'for example pg_isready' };
  if (command.some((word) => word.includes('\0')))
    return { message: 'holds a NUL character, and no program accepts that', hint: 'remove it' };
  if (command.reduce((sum, word) => sum + word.length, 0) <= maxCharacters) return undefined;
  return { message: 'is longer than 16 KiB', hint: 'write the script as a file, and run that' };
}

function reportCommand(check: Field, command: string[], report: Report): void {
  const path = [...check.path, 'command'];
  const problem = commandProblem(command);
  if (problem && !report.isBroken(path)) report.error(path, 'bad-value', problem.message, { hint: problem.hint });
  if (childOf(check, 'path') ?? childOf(check, 'port')) {
    const hint = 'keep the command, or the path';
    report.error(check.path, 'bad-value', 'has both a command and a path or port', { hint });
  }
}

function reportBounds(check: Field, times: CheckTimes, report: Report): void {
  for (const field of ['periodSeconds', 'timeoutSeconds'] as const) {
    if (times[field] <= longestSeconds) continue;
    const message = `of a command is ${longestSeconds} at most, and is reduced to that`;
    report.warn([...check.path, field], 'lenient-value', message, { hint: `write ${longestSeconds}` });
  }
}

function readTimes(check: Field): CheckTimes {
  const seconds = (name: string) => integerOf(childOf(check, name));
  const startPeriodSeconds = seconds('startPeriodSeconds');
  return {
    initialDelaySeconds: seconds('initialDelaySeconds') ?? 0,
    periodSeconds: seconds('periodSeconds') ?? 10,
    timeoutSeconds: seconds('timeoutSeconds') ?? 5,
    failureThreshold: seconds('failureThreshold') ?? 3,
    ...(startPeriodSeconds !== undefined && { startPeriodSeconds }),
  };
}
