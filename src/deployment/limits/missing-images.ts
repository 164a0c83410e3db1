/** PURE. Images that a server cannot get, as errors at the pods that name them. */
import type { Finding } from '../../config/checks/checks.ts';
import type { AppSpec } from '../../config/spec/spec.ts';

export type MissingImage = { image: string; because: string; hint: string };

export function atPods({ pods }: AppSpec, missing: readonly MissingImage[]): Finding[] {
  return pods.flatMap(({ image }, pod) => {
    const found = missing.find((one) => one.image === image);
    if (!found) return [];
    const message = `this server cannot get ${image}: ${found.because.replace(/\.$/, '')}`;
    return [{ pod, field: ['image'], code: 'image-unavailable', message, hint: found.hint }];
  });
}
