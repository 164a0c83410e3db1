/** Short ways to say what a contract test is about: a deployment, its workloads, waiting for them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { EngineOperation } from '../../src/deployment/plan/operation.ts';
import type { Observed, ObservedWorkload, Workload } from '../../src/deployment/workload/workload.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { newId } from '../../src/lib/ids.ts';
import { port } from './program.ts';

/** Longer than anything here takes on a busy machine; a test that runs into it has failed. */
const patienceMs = 300_000;

/** The store epoch of the first engine that a contractor opens. */
export const contractEpoch = 7;

export type Scene = {
  id: string;
  /** `verb` and arguments become the command; the image's entrypoint stays. */
  workload(pod: string, changes?: Partial<Workload>): Workload;
  job(pod: string, ...args: string[]): Workload;
  execute(...operations: UncausedOperation[]): Promise<void>;
  start(...workloads: Workload[]): Promise<void>;
  observe(): Promise<Observed>;
  find(workload: Workload): Promise<ObservedWorkload | undefined>;
  /** Observes at every change until `isThere` holds for the workload. */
  until(workload: Workload, isThere: (observed: ObservedWorkload) => boolean): Promise<ObservedWorkload>;
  ready(workload: Workload): Promise<ObservedWorkload>;
  /** Runs a job to its end; what it wrote. */
  output(job: Workload): Promise<string[]>;
  removeAll(): Promise<void>;
};

type Uncaused<T> = T extends unknown ? Omit<T, 'because'> : never;
export type UncausedOperation = Uncaused<EngineOperation>;

/** As small as most tests can have it. */
export const createVolume = (volume: string, sizeBytes = 12 * 2 ** 20) =>
  ({ kind: 'create-volume', volume, sizeBytes }) as const;

/** `id`: of a deployment that another scene plays on. */
export function createScene(engine: Engine, image: string, id = newId(randomBytes)): Scene {
  const scene: Scene = {
    id,
    workload: (pod, changes = {}) => ({
      name: `berth-${id}-${pod}-${changes.revision ?? 1}-${changes.replica ?? 0}`,
      pod,
      revision: 1,
      replica: 0,
      fingerprint: `${pod}-${changes.revision ?? 1}`,
      image,
      env: {},
      files: [],
      volumes: [],
      ports: [port],
      aliases: [pod, `${pod}.pod`],
      resources: { requests: {}, limits: {} },
      useGPU: false,
      readiness: { kind: 'port', port },
      ...changes,
    }),
    job: (pod, ...args) => scene.workload(pod, { command: args, ports: [], readiness: { kind: 'exit' } }),

    async execute(...operations) {
      for (const operation of operations)
        await engine.execute(id, { ...operation, because: 'the test says so' } as EngineOperation);
    },
    async start(...workloads) {
      await scene.execute({ kind: 'create-network' });
      for (const workload of workloads) await scene.execute({ kind: 'start', workload });
    },

    observe: () => engine.observe(id, []),
    find: async (workload) => findIn(await scene.observe(), workload),
    async until(workload, isThere) {
      const deadline = AbortSignal.timeout(patienceMs);
      for (;;) {
        const observed = await scene.observe();
        const found = findIn(observed, workload);
        if (found && isThere(found)) return found;
        assert.ok(!deadline.aborted, `${workload.name} never got there: ${JSON.stringify(found)}`);
        await engine.change(id, observed, 1_000, deadline);
      }
    },
    ready: (workload) => scene.until(workload, ({ isReady }) => isReady),
    async output(job) {
      await scene.start(job);
      await scene.ready(job);
      return (await engine.logs(job.name, { tail: 100 })).map(({ text }) => text);
    },

    async removeAll() {
      const observed = await scene.observe();
      for (const { name } of observed.workloads) await scene.execute({ kind: 'remove', name });
      for (const volume of observed.volumes) await scene.execute({ kind: 'remove-volume', volume });
      await scene.execute({ kind: 'remove-network' });
    },
  };
  return scene;
}

function findIn(observed: Observed, { name }: Workload): ObservedWorkload | undefined {
  return observed.workloads.find((workload) => workload.name === name);
}
