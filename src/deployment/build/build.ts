/** A build: the images of one revision that are made from source before the revision can start. */
import type { Instant } from '../deployment.ts';

/** `asked`: no process has started it. A `building` build is restarted if its process has ended. */
export type BuildState = 'asked' | 'building' | 'built' | 'failed';

export type Build = {
  deploymentId: string;
  revision: number;
  state: BuildState;
  /** The name of the folder with the source. */
  source: string;
  /** The number of times that a process has started it. */
  tries: number;
  createdAt: Instant;
  startedAt: Instant | null;
  endedAt: Instant | null;
  /** The reason of the failure, and what the owner can do about it. */
  problem: string | null;
  hint: string | null;
  /** The pods whose image could not be built. */
  pods: string[];
  /** Lines of the step that has failed. */
  lastLines: string[];
};

/** A build that ends its process each time is not begun for ever. */
export const maxBuildTries = 3;

/**
 * The volume in which a deployment's images are built. It keeps base images and layers for the next build. No volume of a
 * configuration has a dot in its name.
 */
export const buildVolume = 'build.cache';
