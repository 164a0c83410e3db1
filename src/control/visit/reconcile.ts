/** One visit to a deployment: observe, plan and execute, repeated until nothing is left to do now. */
import type { Deployment, Instant, PodStatus } from '../../deployment/deployment.ts';
import { type Desired, imagesOf, type Running } from '../../deployment/desired.ts';
import type { OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import { batchesOf, describePlan, eventOf, type Operation } from '../../deployment/plan/operation.ts';
import { plan } from '../../deployment/plan/plan.ts';
import type { Pulled } from '../../deployment/status/deployment-progress.ts';
import { failedPods, judge, podsOf, withoutSecrets } from '../../deployment/status/deployment-status.ts';
import { withMessage } from '../../deployment/status/reason.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine/engine.ts';
import { deploymentById } from '../../store/deployments.ts';
import { leaseStatusOf } from '../../store/leases.ts';
import { deleteSuperseded } from '../../store/revisions.ts';
import { StoreFault } from '../../store/store-fault.ts';
import type { Control, Visit } from '../control.ts';
import { explainByDisk } from '../disk/disk-explanation.ts';
import { confirmEverywhere, repairOwnHosts } from '../routing.ts';
import { nextVisitAt, soonAt } from '../schedule.ts';
import { LatePull, watchPull } from './deployment-images.ts';
import { recordEnd, recordRemoval, recordStop, warnOfEnd } from './ending.ts';
import { execute } from './execute.ts';
import { aboutPods, blamedBy, finalReason, reasonOf } from './failure.ts';
import { isNap, isQuiet, sleepDeeper } from './falling-asleep.ts';
import { clearFault, reportFault, reportLostVolumes } from './fault-report.ts';
import { type Journal, openJournal } from './journal.ts';
import { stillSince } from './paused-clock.ts';
import { afterOperation } from './progress.ts';
import { pullInTurn } from './pull-turns.ts';
import { type FinalReason, findAwaited, recordFailure, retryMs } from './record-failure.ts';
import { recordRunning, settle } from './settle.ts';
import { readWanted } from './wanted.ts';

/** Returns when the deployment is due again (null: only when something wakes it). Throws faults of the engine. */
export async function reconcile(visit: Visit, control: Control): Promise<Instant | null> {
  for (;;) {
    const interrupted = visit.interrupt();
    if (visit.stop.aborted) return control.now();
    const deployment = await deploymentById(control.db, visit.lease.deploymentId);
    if (!deployment || deployment.goneAt !== null) return null;
    const step = new Step(deployment, visit, control, interrupted);
    const outcome = await step.run().catch(async (error: unknown) => {
      // After a fault of the store, a write may have succeeded, so this row may be outdated.
      if (!(error instanceof StoreFault)) await step.tellTrouble(error);
      throw error;
    });
    if (outcome !== 'again') return outcome.dueAt;
  }
}

const nothingObserved: Observed = { hasNetwork: false, volumes: [], workloads: [] };

type Outcome = 'again' | { dueAt: Instant | null };

/** One iteration of a visit, for one read of the row. */
class Step {
  readonly #deployment: Deployment;
  readonly #visit: Visit;
  readonly #control: Control;
  /** Aborts when the visit has to end, or the intent has changed. */
  readonly #disturbed: AbortSignal;
  readonly #journal: Journal;
  /** Removes the secrets of the desired revision. Before that is read, no secrets are known. */
  #redact = (text: string) => text;
  #isSeen = false;
  #holdsProgress = false;

  constructor(deployment: Deployment, visit: Visit, control: Control, interrupted: AbortSignal) {
    this.#deployment = deployment;
    this.#visit = visit;
    this.#control = control;
    this.#disturbed = AbortSignal.any([visit.stop, interrupted]);
    this.#journal = openJournal(control, deployment, visit.lease);
  }

  async run(): Promise<Outcome> {
    const { desired, redact } = await readWanted(this.#deployment, this.#control);
    this.#redact = redact;
    return desired.kind === 'running' ? await this.#advance(desired) : await this.#rest(desired);
  }

  async #observe(desired: Desired): Promise<Observed> {
    const observed = await this.#control.engine.observe(this.#deployment.id, imagesOf(desired));
    this.#isSeen = true;
    return observed;
  }

  async tellTrouble(error: unknown): Promise<void> {
    await reportFault(
      withMessage(reasonOf(error), this.#redact),
      { deployment: this.#deployment, journal: this.#journal, isSeen: this.#isSeen },
      this.#control,
    );
  }

  /** The deployment has ended, or is stopped or suspended. */
  async #rest(desired: Exclude<Desired, { kind: 'running' }>): Promise<Outcome> {
    const deployment = this.#deployment;
    this.#control.disk.forget(deployment.id);
    this.#control.pausedClock?.forget(deployment.id);
    const ending = { deployment, journal: this.#journal, control: this.#control };
    // A suspension pauses the time limit.
    const isNoted =
      desired.kind === 'gone'
        ? await recordEnd(desired, ending)
        : desired.kind === 'suspended' || (await warnOfEnd(ending));
    if (!isNoted) return await this.#unwritten();
    // The routes are removed at once, even while the engine is unavailable.
    const unrouting = plan(desired, nothingObserved, deployment.endpoints);
    if (unrouting.length > 0) return await this.#execute(unrouting);
    const observed = await this.#observe(desired);
    const operations = plan(desired, observed, []);
    if (operations.length > 0) {
      if (desired.kind === 'asleep' && !(await isQuiet(observed, this.#visited))) return 'again';
      return await this.#execute(operations);
    }
    if (desired.kind === 'asleep') {
      await clearFault(deployment, this.#journal);
      const next = await sleepDeeper(this.#visited);
      return next === 'asleep' ? 'again' : this.#muchLater(next);
    }
    await confirmEverywhere(deployment, { ...this.#control, stop: this.#visit.stop });
    const left = desired.kind === 'gone' ? await recordRemoval(desired, ending) : await recordStop(ending);
    return left === 'unwritten' ? await this.#unwritten() : left;
  }

  /** The intent has changed, or another process has the lease and continues. */
  async #unwritten(): Promise<Outcome> {
    return (await this.#mandate()) === 'lost' ? { dueAt: null } : 'again';
  }

  async #advance(desired: Running): Promise<Outcome> {
    const { db, now, settings, engine } = this.#control;
    const deployment = this.#deployment;
    if (!(await warnOfEnd({ deployment, journal: this.#journal, control: this.#control })))
      return await this.#unwritten();
    const awaited = await findAwaited(db, deployment, desired);
    if (awaited === 'wait') {
      // Its deadline begins when the wait ends.
      await this.#journal.record({ progressedAt: now() });
      return { dueAt: now() + retryMs };
    }
    if (awaited) return await this.#giveUp(awaited, deployment.pods);
    const { record } = this.#journal;
    if (!(await repairOwnHosts(deployment, desired, { ...this.#control, record }))) return await this.#unwritten();
    const seen = await this.#observe(desired);
    // Times of the engine are compared with this one: the clock may be set during later writes.
    const seenAt = now();
    const observed = withoutSecrets(
      await explainByDisk(deployment, { desired, observed: seen, journal: this.#journal }, this.#control),
      this.#redact,
    );
    const operations = plan(desired, observed, deployment.endpoints);
    // Pods of a deployment that wakes up are as ready as before, once they continue. After a failed update, ready pods
    // mean that the earlier revision serves, so they are reported once the edge has its routes.
    this.#holdsProgress =
      (deployment.wakeRequestedAt !== null && operations[0]?.kind === 'thaw') ||
      (deployment.state === 'failed' && operations.some(({ kind }) => kind === 'route'));
    if (!this.#holdsProgress) this.#journal.addProgress(desired, observed);
    await reportLostVolumes(deployment, { desired, observed, journal: this.#journal }, this.#control);
    const patience = { deadlineMs: settings.deployDeadlineMs, listenMs: settings.listenPatienceMs };
    const progressedAt = stillSince(deployment, seenAt, this.#control);
    const clock = { now: seenAt, progressedAt, patience, isRunning: deployment.state === 'running' };
    const verdict = judge(desired, observed, clock, deployment.pods);
    const isReady = verdict.kind === 'ready';
    const isOver = verdict.kind === 'given-up' && operations.length === 0;
    // Otherwise the failure is written with it, so that no reader sees a failed pod in a deployment that has not
    // failed.
    if (!isOver) await this.#journal.flush();
    if (operations.length > 0) {
      const running = seen.workloads.map(({ revision }) => revision);
      // Only here: without operations, no revision was superseded.
      await deleteSuperseded(db, deployment, running);
      return await this.#execute(operations, { desired, observed, isReady });
    }
    if (verdict.kind === 'given-up') {
      const blamed = failedPods(desired, observed, clock, deployment.pods);
      const pods = podsOf(deployment, desired, observed, { now: now(), blamed });
      const outcome = await this.#giveUp(verdict, pods);
      return outcome === 'again' ? outcome : { dueAt: soonAt(deployment, this.#control) };
    }
    await clearFault(deployment, this.#journal);
    if (verdict.kind === 'ready') {
      const next = await settle(desired, this.#visited);
      return next === 'asleep' ? 'again' : this.#muchLater(next);
    }
    const dueAt = Math.min(nextVisitAt(deployment, this.#control, settings.resyncMs), verdict.lookAgainAt);
    const timeoutMs = Math.max(10, dueAt - now());
    // `seen`, not `observed`: the engine compares its own observation.
    await engine.change(deployment.id, seen, timeoutMs, this.#disturbed);
    return 'again';
  }

  /** `pods`: all pods now, including those that cause the failure. */
  async #giveUp(why: FinalReason, pods: PodStatus[]): Promise<Outcome> {
    const failing = { deployment: this.#deployment, journal: this.#journal, redact: this.#redact };
    return (await recordFailure(why, pods, failing, this.#control)) === 'falls-back' ? 'again' : this.#later();
  }

  #later(): Outcome {
    return { dueAt: nextVisitAt(this.#deployment, this.#control, this.#control.settings.resyncMs) };
  }

  /** The deployment is healthy or sleeps. Events and the survey show what happens to it. */
  #muchLater(latest: Instant = Number.POSITIVE_INFINITY): Outcome {
    return { dueAt: Math.min(latest, nextVisitAt(this.#deployment, this.#control, this.#control.settings.revisitMs)) };
  }

  get #visited() {
    return { deployment: this.#deployment, journal: this.#journal, control: this.#control, visit: this.#visit };
  }

  /** Executes operations in order, while this process has the lease and no newer intent exists. */
  async #execute(
    operations: Operation[],
    towards?: { desired: Running; observed: Observed; isReady: boolean },
  ): Promise<Outcome> {
    this.#control.log.info({ deployment: this.#deployment.id, plan: describePlan(operations) }, 'plan');
    let seen = towards?.observed;
    for (const batch of batchesOf(operations)) {
      const mandate = await this.#mandate();
      // Another process has the lease and continues. Another round here would read the same row again.
      if (mandate === 'lost') return { dueAt: null };
      if (mandate === 'outdated' || this.#visit.stop.aborted) return 'again';
      const pulled = (share: [string, Pulled]) => {
        if (towards && seen)
          this.#journal
            .recordProgress(towards.desired, seen, new Map([share]))
            .catch((err) => this.#control.log.error({ deployment: this.#deployment.id, err }, 'progress not written'));
      };
      const executeOne = async (operation: Operation) => {
        await this.#executeOne(operation, pulled);
        // A pull in the same batch may take minutes.
        if (operation.kind === 'create-network' && batch.length > 1) await this.#journal.flush();
      };
      const results = await Promise.allSettled(batch.map(executeOne));
      const failed = results.findIndex(({ status }) => status === 'rejected');
      if (failed !== -1) {
        const { reason } = results[failed] as PromiseRejectedResult;
        if (this.#disturbed.aborted) return 'again';
        if (!(reason instanceof EngineFault) || !towards) throw reason;
        const fault = aboutPods(batch[failed]!, reason, towards.desired);
        if (!this.#endsTry(fault)) throw fault;
        const why = reasonOf(fault);
        const news = { now: this.#control.now(), blamed: blamedBy(withMessage(why, this.#redact)) };
        const pods = podsOf(this.#deployment, towards.desired, seen ?? towards.observed, news);
        // The earlier reason explains why the pull stalled.
        const { explanation } = this.#deployment;
        const isEarlier = reason instanceof LatePull && explanation?.kind === 'tried-again';
        return await this.#giveUp(finalReason(isEarlier ? explanation : why, fault, this.#deployment), pods);
      }
      seen = seen && batch.reduce(afterOperation, seen);
      if (towards && seen && !this.#holdsProgress) await this.#journal.recordProgress(towards.desired, seen);
      else await this.#journal.flush();
      // Visitors have the new revision. Its owner does not wait for the removal of the old one.
      if (towards?.isReady && batch[0]!.kind === 'route') await recordRunning(towards.desired.revision, this.#visited);
    }
    return 'again';
  }

  /** The loop renews the lease. This checks only that no other process has it. */
  #mandate(): ReturnType<typeof leaseStatusOf> {
    return leaseStatusOf(this.#control.db, this.#visit.lease, this.#deployment.generation);
  }

  /** A fault that retries have not fixed by the deadline ends the try. */
  #endsTry(fault: EngineFault): boolean {
    return fault.endsTry || this.#leftMs() <= 0;
  }

  /** Milliseconds until a deploying deployment fails without progress. Other deployments always have the whole time. */
  #leftMs(): number {
    const { deployDeadlineMs } = this.#control.settings;
    if (this.#deployment.state !== 'deploying') return deployDeadlineMs;
    const now = this.#control.now();
    return stillSince(this.#deployment, now, this.#control) + deployDeadlineMs - now;
  }

  async #executeOne(operation: Operation, pulled: (share: [string, Pulled]) => void): Promise<void> {
    const { record, addEvent } = this.#journal;
    const { wait, settings } = this.#control;
    const whole = { ...this.#control, ...this.#visit, interrupted: this.#disturbed };
    const executor = { ...whole, record, addEvent, drainMs: settings.drainMs };
    const watch = { report: pulled, giveUp: this.#disturbed, leftMs: () => this.#leftMs(), wait };
    const work = (limits?: OwnImageLimits) =>
      watchPull(operation, watch, (pulling) =>
        execute(this.#deployment, operation, executor, { ...pulling, ...(limits && { limits }) }),
      );
    const waited = async () => {
      Object.assign(this.#deployment, { progressedAt: this.#control.now() });
      await record({ progressedAt: this.#deployment.progressedAt });
    };
    const turn = { pulls: this.#control.pulls, signal: this.#disturbed, aside: this.#visit.aside, waited };
    // Without the facet `images`, a start pulls its image.
    const brings = operation.kind === 'pull' || (operation.kind === 'start' && !this.#control.engine.images);
    await (brings ? pullInTurn(this.#deployment, turn, work) : work());
    this.#control.afterOperation?.(operation);
    if (!isNap(this.#deployment)) this.#journal.addEvent(eventOf(operation));
  }
}
