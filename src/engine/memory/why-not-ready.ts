/** Whether containers of the in-memory engine are ready, why not, and since when nothing changes about that. */
import type { Readiness, Stuck } from '../../deployment/workload/workload.ts';
import { checkMessage } from '../check-message.ts';
import type { MemoryContainer } from './world.ts';

/** Records since when the container has not made progress. */
export function recordStuck(container: MemoryContainer, now: number): void {
  container.wasReady ||= reasonNotReady(container) === undefined;
  const by = container.wasReady || container.phase !== 'running' ? undefined : stuckBy(container);
  container.stuck = by && (container.stuck?.by === by ? container.stuck : stuckSince(by, container, now));
}

function stuckBy({ workload: { readiness }, run, rounds, readyAfter }: MemoryContainer): Stuck['by'] | undefined {
  if (rounds <= readyAfter) return;
  if (readiness.kind === 'command') return 'health-check';
  if ((readiness.kind !== 'port' && readiness.kind !== 'http') || !run.ports?.length) return;
  return run.ports.includes(readiness.port) ? 'health-check' : 'listening';
}

function stuckSince(by: Stuck['by'], { run: { ports = [] } }: MemoryContainer, since: number): Stuck {
  return by === 'listening' ? { by, since, open: [...ports] } : { by, since };
}

/** Returns why the container is not ready. Undefined if it is ready. */
export function reasonNotReady(container: MemoryContainer): string | undefined {
  const { phase, exitCode } = container;
  if (phase === 'created') return 'is created but not started';
  const reason = phase === 'exited' ? undefined : reasonWhileRunning(container);
  if (phase === 'running' && reason === undefined) return undefined;
  if (exitCode === undefined) return reason ?? 'was stopped';
  const { kind, mayEnd } = container.workload.readiness;
  if ((kind === 'exit' || mayEnd) && phase === 'exited' && exitCode === 0) return undefined;
  return `exited with code ${exitCode}${reason ? `; since its restart: ${reason}` : ''}`;
}

function reasonWhileRunning(container: MemoryContainer): string | undefined {
  const { readiness } = container.workload;
  if (container.tampering === 'paused') return 'is paused';
  if (container.tampering === 'off-network') return 'was taken off its network';
  if (readiness.kind === 'exit') return 'has not finished yet';
  const isAwake = container.rounds > container.readyAfter;
  if (readiness.kind !== 'running' && container.address === undefined) return 'has no address yet';
  if (readiness.kind === 'running') return isAwake ? undefined : 'has only just started';
  if (readiness.kind === 'command') return reasonOfCommand(container, readiness, isAwake);
  const { ports = [] } = container.run;
  const silence = `does not listen on port ${readiness.port}`;
  if (!isAwake || ports.length === 0) return silence;
  if (!ports.includes(readiness.port)) return `listens on ${ports.join(', ')}, not on ${readiness.port}`;
  return readiness.kind === 'http' ? reasonUnhealthy(container, readiness) : undefined;
}

export function healthCheckBodyOf({ workload: { readiness }, run }: MemoryContainer): { healthCheckBody?: string } {
  const body = readiness.kind === 'http' ? run.respond?.(readiness.path).body : undefined;
  return body ? { healthCheckBody: body } : {};
}

/** The image's program runs the command, as a second process. Without a program, the command succeeds. */
function reasonOfCommand(
  container: MemoryContainer,
  { command, timeoutSeconds }: Extract<Readiness, { kind: 'command' }>,
  isAwake: boolean,
): string | undefined {
  if (!isAwake) return checkMessage(command, { kind: 'exited', code: 1, output: '' })?.words;
  const run = container.runCheck?.(command) ?? { exitCode: 0 };
  return checkMessage(
    command,
    run.exitCode === undefined
      ? { kind: 'timed-out', afterSeconds: timeoutSeconds }
      : { kind: 'exited', code: run.exitCode, output: run.output?.join('\n') ?? '' },
  )?.words;
}

function reasonUnhealthy(container: MemoryContainer, { path }: Extract<Readiness, { kind: 'http' }>) {
  const { status } = container.run.respond?.(path) ?? { status: 200 };
  return status >= 200 && status < 400 ? undefined : `health check ${path} answered ${status}`;
}
