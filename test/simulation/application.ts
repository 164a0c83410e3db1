/** Applications of the simulation: any mixture of pods, and images that behave in all ways that images do. */

import fc from 'fast-check';
import type { AppSpec, PodSpec } from '../../src/config/spec/spec.ts';
import { pod } from '../support/deployments.ts';
import type { TestImage } from '../support/test-world.ts';

const registry = 'registry.example';
const token = 'the token of the registry';

/**
 * New ones for each run, because a run changes them. If the engine cannot build or load images, all are of registries.
 */
export function newImages({ areAllOfRegistries }: { areAllOfRegistries: boolean }): Record<string, TestImage> {
  const images: Record<string, TestImage> = { ...goodImages(), ...badImages() };
  if (areAllOfRegistries)
    for (const [index, image] of Object.values(images).entries())
      if (!image.pullFault) image.digest ??= `sha256:a${index}`;
  return images;
}

const goodImages = (): Record<string, TestImage> => ({
  'local:1': {},
  'local:2': { readyAfter: 1 },
  'slow:1': { readyAfter: 3 },
  'hub:1': { isOnHost: false, digest: 'sha256:1' },
  'hub:2': { isOnHost: true, digest: 'sha256:2', readyAfter: 1 },
  [`${registry}/private:1`]: { isOnHost: false, digest: 'sha256:3', token },
});

const badImages = (): Record<string, TestImage> => ({
  'crash:1': { exitCode: 3 },
  'unknown:1': { isOnHost: false, pullFault: 'image-not-found' },
  /** Never listens, and never ends. */
  'mute:1': { program: () => ({ ports: [] }) },
});

/** Whether every pod becomes ready once nothing stands in its way. */
export function isGood({ pods }: AppSpec): boolean {
  return pods.every(({ image, servicePorts, resourceType }) => {
    if (image === 'mute:1') return servicePorts.length === 0 && resourceType !== 'job';
    return image in goodImages();
  });
}

export function hasSite({ pods }: AppSpec): boolean {
  return pods.some(({ path }) => path !== undefined);
}

/** Whether all visible pods are updated without a gap: such pods have no volumes, which only one workload can use. */
export function areSeamless(revisions: AppSpec[]): boolean {
  const pods = revisions.flatMap((spec) => spec.pods);
  const exclusive = new Set(pods.filter(({ volumes }) => volumes.length > 0).map(({ name }) => name));
  return pods.every(({ name, path }) => path === undefined || !exclusive.has(name));
}

const volume = fc.record({
  name: fc.constantFrom('data', 'logs'),
  isShared: fc.boolean(),
  sizeBytes: fc.constantFrom(2 ** 20, 2 ** 21),
});

const traits = fc.record({
  image: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...Object.keys(goodImages())) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(badImages())) },
  ),
  resourceType: fc.oneof(
    { weight: 4, arbitrary: fc.constant('deployment' as const) },
    { weight: 2, arbitrary: fc.constant('statefulset' as const) },
    { weight: 1, arbitrary: fc.constantFrom('daemonset' as const, 'job' as const) },
  ),
  replicas: fc.integer({ min: 1, max: 2 }),
  hasVolumes: fc.integer({ min: 1, max: 4 }).map((die) => die === 4),
  volumes: fc.uniqueArray(volume, { selector: ({ name }) => name, minLength: 1, maxLength: 2 }),
  variable: fc.constantFrom('1', '2'),
  isPublic: fc.boolean(),
  hasPort: fc.boolean(),
  hasHealthCheck: fc.boolean(),
  /** Positions of pods before it. */
  needs: fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 2 }),
});

const names = ['db', 'cache', 'api', 'web'] as const;

/** Valid ones: the first pod that can be is public, paths differ, and pods need only what comes before them. */
export const application: fc.Arbitrary<AppSpec> = fc
  .array(traits, { minLength: 1, maxLength: names.length })
  .map((pods) => ({
    name: 'shop',
    registryLogin: { registry, username: 'me', personalAccessToken: token },
    pods: pods.map((each, index): PodSpec => {
      const isJob = each.resourceType === 'job';
      const isFirst = pods.findIndex(({ resourceType }) => resourceType !== 'job') === index;
      const isPublic = !isJob && (isFirst || each.isPublic);
      const hasPort = !isJob && (isPublic || each.hasPort);
      const port = 8000 + index;
      return pod(names[index]!, {
        image: each.image,
        resourceType: each.resourceType,
        replicas: each.replicas,
        vars: { A: each.variable },
        dependsOn: each.needs.filter((other) => other < index).map((other) => names[other]!),
        volumes: (each.hasVolumes ? each.volumes : []).map((volume) => ({ ...volume, mountPath: `/${volume.name}` })),
        ...(isPublic && { path: isFirst ? '/' : `/${names[index]}` }),
        ...(hasPort && { servicePorts: [port] }),
        ...(hasPort && each.hasHealthCheck && { healthCheck: { ...healthCheck, port } }),
      });
    }),
  }));

const healthCheck = {
  path: '/healthz',
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 5,
  failureThreshold: 3,
};
