/** The dependencies of builds; wired in `work.ts`. */
import type { Kysely } from 'kysely';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { Egress } from '../deployment/workload/egress.ts';
import type { PodRuntime } from '../deployment/workload/workload.ts';
import type { Engine } from '../engine/engine.ts';
import type { Seal } from '../lib/seal.ts';
import type { Tables } from '../store/rows.ts';
import type { BaseImages } from './base-images.ts';
import type { BuilderLimits } from './builder-workload.ts';
import type { Sources } from './sources.ts';
import type { ImageStoreParts } from './store-image.ts';

export type BuildParts = ImageStoreParts & {
  db: Kysely<Tables>;
  seal: Seal;
  engine: Engine;
  sources: Sources;
  bases: BaseImages;
  /** The limits of each builder. */
  limits: BuilderLimits;
  /** The size of the volume of a builder, with the layers of its images. */
  volumeBytes: number;
  /** The time limit of a whole build. */
  withinMs: number;
  /** The address of an HTTP proxy for builds. */
  proxy?: string | undefined;
  /** The egress of the deployment. */
  egressOf: (deployment: Deployment) => Promise<Egress>;
  runtimeOf: (deployment: Deployment) => Promise<PodRuntime | undefined>;
  /** Wakes the loop for the deployment. */
  wake: (deploymentId: string) => void;
  now: () => Instant;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};
