/** PURE. Image references: `[registry/]repository[:tag][@digest]`. */
import type { RegistryLogin } from '../../config/spec.ts';

const dockerHub = 'docker.io';
const dockerHubNames = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com']);

/** Letters, digits and separators; no empty part and no `..`. */
const reference = /^(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9._/:@-]*[A-Za-z0-9]$/;

/**
 * Whether it can be the name of an image. Docker judges the details; what is kept out here would change the path of
 * the request that the name becomes a part of.
 */
export function isReference(image: string): boolean {
  return image.length <= 512 && reference.test(image);
}

/** The registry's host, with its port where it has one. As Docker reads it: a first part with a dot, a colon or `localhost`. */
export function registryOf(image: string): string {
  const [first, ...rest] = image.split('/');
  if (!first || rest.length === 0 || !/[.:]|^localhost$/.test(first)) return dockerHub;
  return canonical(first);
}

/** The login when it is one of this image's registry: credentials go nowhere else. */
export function loginFor(image: string, login: RegistryLogin | undefined): RegistryLogin | undefined {
  if (!login) return undefined;
  const host = login.registry.replace(/^[a-z]+:\/\//i, '').split('/')[0] ?? '';
  return canonical(host) === registryOf(image) ? login : undefined;
}

function canonical(host: string): string {
  const lower = host.toLowerCase();
  return dockerHubNames.has(lower) ? dockerHub : lower;
}
