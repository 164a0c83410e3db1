/** Why a deployment is given up, or what keeps it waiting, in words. Pure. */
import type { Desired } from '../deployment/desired.ts';
import type { Operation } from '../deployment/operation.ts';
import type { WorkloadName } from '../deployment/workload.ts';
import { EngineFault } from '../engine/engine.ts';

/** In words, what its owner can do, and the workload whose lines tell more. */
export type Reason = { because: string; hint?: string | undefined; workload?: WorkloadName };

/** The advice where nothing better is known. */
export function linesHint(lastLines: string[]): string {
  return lastLines.length > 0 ? 'its last lines may say why' : 'it has written nothing';
}

/** The pods are those of the operation, or those that run from the image that the fault is about. */
function podsOf(operation: Operation, fault: EngineFault, desired: Extract<Desired, { kind: 'running' }>): string[] {
  const concerned = desired.workloads.filter(({ workload }) =>
    operation.kind === 'start' ? workload.name === operation.workload.name : workload.image === fault.image,
  );
  return [...new Set(concerned.map(({ workload }) => workload.pod))];
}

/** Those pods, with what is told of each. */
export function blamedBy(
  operation: Operation,
  fault: EngineFault,
  desired: Extract<Desired, { kind: 'running' }>,
  redact: (text: string) => string,
): Map<string, string> {
  const { message, hint } = fault;
  const words = redact(`${message.replace(/\.$/, '')}${hint === undefined ? '' : ` (${hint})`}`);
  return new Map(podsOf(operation, fault, desired).map((pod) => [pod, words]));
}

export function describeFault(
  operation: Operation,
  fault: EngineFault,
  desired: Extract<Desired, { kind: 'running' }>,
): Reason {
  const words = fault.message.replace(/\.$/, '');
  const pods = podsOf(operation, fault, desired);
  const isSaid = pods.length === 0 || words.startsWith(`pod ${pods[0]}: `);
  const subject = isSaid ? '' : `${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(', ')}: `;
  return { because: `${subject}${words}`, hint: fault.hint };
}

const triedAgain = 'It is tried again; what runs keeps running.';

/** A fault that is tried again. */
export function describeTrouble(error: unknown): string {
  if (!(error instanceof EngineFault)) return `The engine did not do what was asked. ${triedAgain}`;
  return `${error.message.replace(/\.$/, '')}${error.hint ? ` (${error.hint})` : ''}. ${triedAgain}`;
}

/** The same fault as `reason` tells it. */
export function toldAs({ because, hint }: Reason, fault: EngineFault): EngineFault {
  return new EngineFault(fault.kind, `${because}.`, { cause: fault, ...(hint !== undefined && { hint }) });
}

/** What a message tells of a fault that was tried again; undefined when it is none of those. */
export function earlierTrouble(message: string): Reason | undefined {
  if (!message.endsWith(`. ${triedAgain}`)) return undefined;
  return { because: message.slice(0, -triedAgain.length - 2) };
}
