/** Images, and the credentials they are pulled with. */
import { excerpt, listed, quote } from '../diagnostics/diagnostics.ts';
import { replaceValue } from '../document/edits.ts';
import { canonicalRegistry, type ImageReference, parseImageReference, registryOf } from '../values/image-names.ts';
import type { Context, PodContext } from './context.ts';

/** Reports on the image; returns it as it will be pulled. */
export function checkImage({ pod, path, report, source, spec }: PodContext): string {
  const at = [...path, 'image'];
  if (report.isBroken(at)) return pod.image;
  const reference = parseImageReference(pod.image);
  switch (reference.kind) {
    case 'placeholder':
      report.error(at, 'image-placeholder', `pod "${pod.name}": the image is a placeholder`, {
        hint: 'put the image that was built',
      });
      return pod.image;
    case 'invalid': {
      const { because, instead } = reference;
      const fix = instead === undefined ? undefined : replaceValue(source, at, instead);
      const hint = `${because}; ${instead === undefined ? 'for example nginx:1.29' : `write ${instead}`}`;
      report.error(at, 'bad-image', `${quote(pod.image)} is not an image reference`, { hint, fix });
      return pod.image;
    }
    case 'untagged': {
      const message = `the image ${quote(pod.image)} must include a tag`;
      const looksUnfinished = /placeholder|your|example|changeme|todo/i.test(pod.image);
      report.error(at, 'image-without-tag', message, {
        hint: `for example ${looksUnfinished ? 'nginx:1.29' : `${reference.lowerCase}:latest`}`,
        fix: looksUnfinished ? undefined : replaceValue(source, at, `${reference.lowerCase}:latest`),
      });
      return pod.image;
    }
    case 'complete':
      return checkComplete({ pod, path, report, source, spec } as PodContext, reference);
  }
}

function checkComplete(
  { pod, path, report, source, spec }: PodContext,
  { lowerCase, usesRegistry }: Extract<ImageReference, { kind: 'complete' }>,
): string {
  const at = [...path, 'image'];
  if (lowerCase !== pod.image) {
    const hint = `write ${lowerCase}`;
    const fix = replaceValue(source, at, lowerCase);
    report.warn(at, 'image-case', 'image names are lower case, so the name is read in lower case', { hint, fix });
  }
  if (usesRegistry && !spec.registryLogin && !report.isBroken(['application', 'registryLogin'])) {
    report.warn(
      at,
      'registry-without-login',
      'uses <% REGISTRY %>, but the application has no registryLogin: the default registry is used',
      {
        hint: 'add "registryLogin", or write the host of the registry',
      },
    );
  }
  return lowerCase;
}

/** Tags of a fixed version contain a digit. These words mark tags that change anyway: `php8.2-latest`. */
const movingWord = /(?:^|[-._])(?:latest|nightly|edge|canary|unstable)(?:$|[-._])/i;

function isMoving(image: string): boolean {
  const reference = parseImageReference(image);
  if (reference.kind !== 'complete' || reference.tag === undefined || image.includes('@')) return false;
  const isDated = /\d{6}/.test(reference.tag);
  return !/\d/.test(reference.tag) || (movingWord.test(reference.tag) && !isDated);
}

/** Reports one warning for all images of a document whose tags change. */
export function checkTags({ spec, origin, report }: Context): void {
  const first = spec.pods.findIndex(({ image }) => isMoving(image));
  if (first === -1) return;
  const moving = spec.pods.filter(({ image }) => isMoving(image));
  const tags = [...new Set(moving.map(({ image }) => `"${image.slice(image.lastIndexOf(':') + 1)}"`))];
  const message =
    tags.length === 1
      ? `the tag ${tags[0]} is another image tomorrow`
      : `the tags ${listed(tags)} are other images tomorrow`;
  const hint = moving.length === 1 ? 'name a version' : `name a version for ${listed(moving.map(({ name }) => name))}`;
  report.warn([...origin.pod(first), 'image'], 'latest-image', message, { hint });
}

export function checkLogin({ spec, report }: Context): void {
  const login = spec.registryLogin;
  if (!login) return;
  const at = ['application', 'registryLogin'];
  const host = canonicalRegistry(login.registry.split('/')[0]!);
  const isUsed = spec.pods.some(({ image }) => /^<%/.test(image) || registryOf(image) === host);
  if (!isUsed && spec.pods.length > 0) {
    report.warn([...at, 'registry'], 'unused-login', `no image uses the registry ${quote(login.registry)}`, {
      hint: `write the images as ${excerpt(login.registry)}/…, or <% REGISTRY %>/…`,
    });
  }
  if (/^<.*>$|^(?:ghp_)?x{6,}$|^\$\{|^your[-_ ]/i.test(login.personalAccessToken)) {
    const message = 'the token is a placeholder: private images cannot be pulled with it';
    report.warn([...at, 'personalAccessToken'], 'login-placeholder', message);
  }
}
