/** The image of a Dockerfile without further options. */
import type { Build, ImageToMake } from './project.ts';

/** An image that is built from a folder and its Dockerfile, without further options. */
export function plainBuild(name: string, context: string, dockerfile: string): Omit<ImageToMake, 'at'> {
  const build = buildOf(context, { dockerfile });
  return { name, services: [], base: { kind: 'build', build }, layers: [] };
}

/** A build from a folder of this machine without options other than `more`. */
export function buildOf(context: string, more: Partial<Build> = {}): Build {
  return {
    context,
    isRemote: false,
    args: {},
    secrets: [],
    ssh: [],
    platforms: [],
    additionalContexts: {},
    extraHosts: [],
    noCache: false,
    pull: false,
    labels: {},
    ...more,
  };
}
