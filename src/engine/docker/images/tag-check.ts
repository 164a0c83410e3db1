/** Asking registries what tags mean now. Nothing is downloaded. */
import type Docker from 'dockerode';
import { isReference, pin, registryOf } from '../../../config/values/image-names.ts';
import type { ImageRequest, ResolvedImage } from '../../../deployment/plan/operation.ts';
import { EngineFault, whenItAnswers } from '../../engine.ts';
import { readImage } from './image-facts.ts';
import { isUnanswered, pullFault } from './pull-faults.ts';
import { authOf, type RegistryAuth } from './registry-login.ts';

/** A registry answers in 50 to 500 ms; a deployment whose images are all here need not wait for a slow one. */
const patienceMs = 2_000;

/** A registry that did not answer is not asked again for so long: most hosts without one never have one. */
const rememberMs = 60_000;

/** `deploymentId`: who asks. What one has provoked says nothing to another, whose tags may have moved. */
export type Check = (deploymentId: string, requests: readonly ImageRequest[]) => Promise<ResolvedImage[]>;

/** All at once. An image that is here is enough when its registry cannot be reached; a refusal is a fault. */
export function createCheck(docker: Docker, uptime: () => number): Check {
  const unreachableUntil = new Map<string, number>();

  async function check(deploymentId: string, { image, registryLogin }: ImageRequest): Promise<ResolvedImage> {
    if (!isReference(image)) throw pullFault(new Error('invalid reference format'), image, false);
    // No id has a blank.
    const asked = `${deploymentId} ${registryOf(image)}`;
    if ((unreachableUntil.get(asked) ?? 0) > uptime()) return presentImage(docker, image);
    const auth = authOf(image, registryLogin);
    try {
      const digest = await askDigest(docker, image, auth);
      return { image, reference: pin(image, digest), by: 'registry' };
    } catch (error) {
      const fault = pullFault(error, image, auth !== undefined);
      if (fault.kind !== 'registry-unreachable') throw fault;
      // One that answers, however badly, is asked again: it answers others well.
      if (fault instanceof Silence || isUnanswered(fault)) remember(asked);
      return presentImage(docker, image, fault);
    }
  }

  function remember(asked: string): void {
    // Tenants name registries: those of the past are forgotten, or the list would grow for ever.
    for (const [known, until] of unreachableUntil) if (until <= uptime()) unreachableUntil.delete(known);
    unreachableUntil.set(asked, uptime() + rememberMs);
  }

  return (deploymentId, requests) => Promise.all(requests.map((request) => check(deploymentId, request)));
}

async function askDigest(docker: Docker, image: string, auth: RegistryAuth | undefined): Promise<string> {
  const abortSignal = AbortSignal.timeout(patienceMs);
  try {
    return (await inspectDistribution(docker, image, auth, abortSignal)).Descriptor.digest;
  } catch (error) {
    if (!abortSignal.aborted) throw error;
    const words = `The registry ${registryOf(image)} did not answer within ${patienceMs / 1000} s for ${image}.`;
    throw new Silence('registry-unreachable', words, { cause: error, image, hint: whenItAnswers });
  }
}

/** Our own patience with the engine, which is still waiting for its registry, has ended. */
class Silence extends EngineFault {}

/** The client's own function for this cannot be given up: a registry that never answers would hold it for ever. */
function inspectDistribution(
  docker: Docker,
  image: string,
  auth: RegistryAuth | undefined,
  abortSignal: AbortSignal,
): Promise<{ Descriptor: { digest: string } }> {
  const request = {
    path: `/distribution/${image}/json`,
    method: 'GET',
    statusCodes: { 200: true },
    abortSignal,
    ...(auth && { authconfig: auth }),
  };
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (error: unknown, answer: unknown) =>
      error ? reject(error) : resolve(answer as { Descriptor: { digest: string } }),
    );
  });
}

async function presentImage(docker: Docker, image: string, fault?: EngineFault): Promise<ResolvedImage> {
  const facts = await readImage(docker, image);
  if (facts) return { image, reference: facts.pinned[0] ?? image, by: 'presence' };
  if (fault) throw fault;
  const words = `The registry ${registryOf(image)} cannot be reached for ${image}.`;
  throw new EngineFault('registry-unreachable', words, { image, hint: whenItAnswers });
}
