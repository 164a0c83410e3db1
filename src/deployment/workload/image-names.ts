/** PURE. Image references: `[registry/]repository[:tag][@digest]`. A tag may move; a digest is always the same image. */

import type { AppSpec, RegistryLogin } from '../../config/spec/spec.ts';
import { replaceScriptlets } from '../../config/variables/scriptlets.ts';

const dockerHub = 'docker.io';
const dockerHubNames = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com']);

/**
 * Letters, digits and separators; no empty part and no `..`. Nor an id: to Docker `sha256:e0f9` is whichever image of
 * the host has an id that begins like this, so that four letters would be a guess at somebody else's.
 */
const reference = /^(?!sha256:)(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9._/:@-]*[A-Za-z0-9]$/;

/**
 * Whether it can be the name of an image. Docker judges the details; what is kept out here would change the path of
 * the request that the name becomes a part of.
 */
export function isReference(image: string): boolean {
  return image.length <= 512 && reference.test(image);
}

/** The registry's host, with its port where it has one. As Docker reads it: a first part with a dot, a colon or `localhost`. */
export function registryOf(image: string): string {
  return hasRegistry(image) ? canonical(image.split('/')[0]!) : dockerHub;
}

function hasRegistry(image: string): boolean {
  const [first, ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first!);
}

/** A colon after the last slash begins a tag; an earlier one, a port. */
function withoutVersion(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
}

/** Whether it names one image for ever. */
export function isPinned(image: string): boolean {
  return image.includes('@');
}

/** The reference of the image with that digest, in the same repository. */
export function pin(image: string, digest: string): string {
  return `${withoutVersion(image)}@${digest}`;
}

/** Registry and repository in full, e.g. `docker.io/library/nginx`: what a registry gives or refuses access to. */
export function repositoryOf(image: string): string {
  const name = withoutVersion(image);
  const registry = registryOf(image);
  const path = hasRegistry(name) ? name.slice(name.indexOf('/') + 1) : name;
  return `${registry}/${registry === dockerHub && !path.includes('/') ? 'library/' : ''}${path}`;
}

/** The tag that is written; a reference with a digest may have one too. */
export function tagOf(image: string): string | undefined {
  return /:([^:/]+)$/.exec(image.replace(/@.*$/, ''))?.[1];
}

/** What the pods of a configuration name, each once, with the registry that is meant. */
export function imagesOf({ pods, registryLogin }: AppSpec): string[] {
  const registry = registryLogin?.registry ?? '';
  const written = pods.map(({ image }) =>
    replaceScriptlets(image, ({ kind }) => (kind === 'registry' ? registry : '')),
  );
  return [...new Set(written.map((image) => image.replace(/^\//, '')))];
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
