/** Runs a command in a pod: checks the permission, finds the workload, and records the command before it starts. */
import type { FastifyRequest } from 'fastify';
import type { Deployment } from '../../deployment/deployment.ts';
import { wantedRevision } from '../../deployment/desired.ts';
import { refuseByPlan } from '../../deployment/limits/plan-tier.ts';
import { matchWorkloads } from '../../deployment/plan/matches.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine/engine.ts';
import { type ExecRequest, noExec, type RunningExec } from '../../engine/exec.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { recordExec } from '../../store/audit-log.ts';
import { revisionOf } from '../../store/revisions.ts';
import { awaken, keepInUse } from '../../store/sleep.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { desiredOf } from '../deployments/stored-revision.ts';
import { applicationOf, type Caller, requireCaller } from '../requests/callers.ts';
import { clientAddress, clientKey } from '../requests/client-address.ts';
import type { ExecSlots } from './exec-slots.ts';

export type ExecStart = ExecRequest & {
  sessionToken?: string;
  applicationName: string;
  environment?: string;
  pod: string;
  replica?: number;
};

/** Disposing of it ends the command and releases its place. */
export type BegunExec = AsyncDisposable & { exec: RunningExec; deployment: Deployment; replica: number };

export async function beginExec(
  service: Service,
  places: ExecSlots,
  request: FastifyRequest,
  requested: ExecStart,
): Promise<Result<BegunExec>> {
  const caller = await requireCaller(service, request, requested);
  if (!caller.ok) return caller;
  const found = applicationOf(caller.value, requested);
  if (!found.ok) return found;
  const deployment = found.value;
  const allowed = await allowExec(service, deployment);
  if (!allowed.ok) return allowed;
  if (deployment.sleep !== null) await awaken(service.db, deployment.id, service);
  const workload = await findWorkload(service, deployment, requested);
  if (!workload.ok) return workload;
  const { accountId } = caller.value;
  const client = clientKey(request, service.settings.networkPool);
  const leave = places.take(deployment.id, accountId === null ? `client ${client}` : `account ${accountId}`);
  if (typeof leave !== 'function') return { ok: false, problem: leave };
  try {
    const { pod, command } = requested;
    await recordExec(service.db, {
      at: service.now(),
      actor: whoIs(caller.value),
      subject: deployment.id,
      reason: describeCommand(pod, command, clientAddress(request)),
    });
    const started = await startIn(workload.value, { service, deployment, requested });
    if (!started.ok) {
      leave();
      return started;
    }
    const { exec, replica } = started.value;
    const startedAt = performance.now();
    const { id: deploymentId } = deployment;
    const use = keepInUse(service.db, deploymentId, service.now);
    request.log.info({ deploymentId, pod, replica }, 'command in a pod begun');
    const end = async () => {
      try {
        await exec[Symbol.asyncDispose]();
      } finally {
        use[Symbol.dispose]();
        leave();
      }
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      request.log.info({ deploymentId, pod, replica, seconds }, 'command in a pod ended');
    };
    return succeed({ exec, deployment, replica, [Symbol.asyncDispose]: end });
  } catch (error) {
    leave();
    throw error;
  }
}

type Starting = { service: Service; deployment: Deployment; requested: ExecStart };

/** If the workload has ended since it was found, as in an update, runs in the current one. */
async function startIn(
  { name, replica }: FoundWorkload,
  { service, deployment, requested }: Starting,
  isAgain = false,
): Promise<Result<{ exec: RunningExec; replica: number }>> {
  const { command, terminal } = requested;
  try {
    return succeed({ exec: await service.engine.exec!.start(name, { command, terminal }), replica });
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    if (error.kind === 'bad-request')
      return refuse('command_not_started', error.message, 'Name a program that is in the image of the pod.');
    if (error.kind !== 'not-running') throw error;
  }
  const next = await findWorkload(service, deployment, requested);
  if (!next.ok) return next;
  if (isAgain || next.value.name === name) return notRunning(deployment, requested.pod, requested.replica);
  return await startIn(next.value, { service, deployment, requested }, true);
}

/**
 * Returns whether the caller may still run commands. The token, the plan or the owner of the deployment may have
 * changed since the start.
 */
export async function mayGoOn(
  service: Service,
  request: FastifyRequest,
  requested: Pick<ExecStart, 'sessionToken' | 'applicationName' | 'environment'>,
  deploymentId: string,
): Promise<boolean> {
  const caller = await requireCaller(service, request, requested);
  const found = caller.ok ? applicationOf(caller.value, requested) : caller;
  return found.ok && found.value.id === deploymentId && (await allowExec(service, found.value)).ok;
}

/** Returns whether commands may be run in pods of a deployment. */
export async function allowExec(
  { db, settings, engine }: Pick<Service, 'db' | 'settings' | 'engine'>,
  deployment: Deployment,
): Promise<Result<undefined>> {
  if (!engine.exec) return refuse('exec_not_allowed', `${noExec.words}.`, noExec.hint);
  const plan = await planOfDeployment(db, settings.tiers, deployment);
  if (plan ? plan.tier.allowsExec : settings.strangers.allowsExec) return succeed(undefined);
  return plan
    ? refuseByPlan('exec_not_allowed', `The plan "${plan.tier.name}" does not allow commands in pods.`)
    : refuse(
        'exec_not_allowed',
        'Commands can only be run in pods of claimed deployments.',
        'Claim the deployment with an account: "berth claim", or POST /claimDeployment.',
      );
}

type FoundWorkload = { name: string; replica: number };

/** Returns the requested workload, or else the newest running one. Default replica: the first. */
async function findWorkload(
  service: Service,
  deployment: Deployment,
  { pod, replica }: Pick<ExecStart, 'pod' | 'replica'>,
): Promise<Result<FoundWorkload>> {
  const { db, seal, engine } = service;
  const observed = await engine.observe(deployment.id, []);
  const running = observed.workloads
    .filter((workload) => workload.pod === pod && workload.phase === 'running')
    .filter((workload) => replica === undefined || workload.replica === replica);
  // During a replacement, two workloads run. After a rollback, the older one may stay.
  const isOne = new Set(running.map((workload) => workload.replica)).size === running.length;
  const wanted = isOne ? new Set() : await wantedAmong(service, deployment, observed);
  const [first] = running.sort(
    (a, b) =>
      Number(wanted.has(b.name)) - Number(wanted.has(a.name)) || b.revision - a.revision || a.replica - b.replica,
  );
  if (first) return succeed(first);
  const name = deployment.applicationName;
  const { spec } = await revisionOf(db, seal, deployment.id, wantedRevision(deployment));
  const pods = spec.pods.map((each) => each.name);
  if (!pods.includes(pod))
    return refuse('invalid_request', `Application ${name} has no pod ${pod}.`, `It has ${pods.join(', ')}.`);
  return notRunning(deployment, pod, replica);
}

function notRunning({ applicationName }: Deployment, pod: string, replica: number | undefined) {
  const which = replica === undefined ? `Pod ${pod}` : `Replica ${replica} of pod ${pod}`;
  return refuse(
    'pod_not_running',
    `${which} of application ${applicationName} is not running.`,
    'GET /getDeploymentStatus says how it is doing.',
  );
}

async function wantedAmong(service: Service, deployment: Deployment, observed: Observed): Promise<Set<string>> {
  const revision = await revisionOf(service.db, service.seal, deployment.id, wantedRevision(deployment));
  const desired = await desiredOf(service, deployment, revision);
  if (desired.kind !== 'running') return new Set();
  return new Set(matchWorkloads(desired, observed).flatMap(({ found }) => found?.name ?? []));
}

function whoIs(caller: Caller): string {
  return caller.accountId === null && caller.kind === 'session'
    ? `session ${caller.sessionId}`
    : `account ${caller.accountId}`;
}

/** Describes a command by its program only, because arguments may contain a password. */
function describeCommand(pod: string, [program = '', ...more]: readonly string[], from: string): string {
  const rest = more.length === 0 ? '' : ` with ${more.length} ${more.length === 1 ? 'argument' : 'arguments'}`;
  const shown = program.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 100);
  return `pod ${pod}: ${shown}${rest}, from ${from}`;
}
