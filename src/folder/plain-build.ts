/** The image of a Dockerfile that nobody says more about. */
import type { ImageToMake } from './project.ts';

/** An image that is built from a folder and its Dockerfile, and nothing else. */
export function plainBuild(name: string, context: string, dockerfile: string): Omit<ImageToMake, 'at'> {
  const build = {
    context,
    isRemote: false,
    dockerfile,
    args: {},
    secrets: [],
    ssh: [],
    platforms: [],
    additionalContexts: {},
    extraHosts: [],
    noCache: false,
    pull: false,
    labels: {},
  };
  return { name, services: [], base: { kind: 'build', build }, layers: [] };
}
