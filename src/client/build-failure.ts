import type { Deployment } from './service-types.ts';

/** Returns whether a build from source has failed, so that the output of the build explains more than the logs of pods. */
export function hasFailedBuild({ message, pods = [] }: Pick<Deployment['status'], 'message' | 'pods'>): boolean {
  return [message, ...pods.map((pod) => pod.message)].some((text) => text?.includes('the build failed'));
}
