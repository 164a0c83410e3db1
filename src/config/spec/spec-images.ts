/** PURE. The images that a configuration pulls, and the login for each. */
import { canonicalRegistry, registryOf } from '../values/image-names.ts';
import { replaceScriptlets } from '../variables/scriptlets.ts';
import type { AppSpec, RegistryLogin } from './spec.ts';

/** The images of a configuration's pods, each once, with their registry. */
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
  return canonicalRegistry(host) === registryOf(image) ? login : undefined;
}
