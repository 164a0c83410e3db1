/** Credentials as Docker takes them along with a request about one image. */

import type { RegistryLogin } from '../../../config/spec/spec.ts';
import { loginFor } from '../../../config/spec/spec-images.ts';
import { registryOf } from '../../../config/values/image-names.ts';

export type RegistryAuth = { username: string; password: string; serveraddress: string };

/** Undefined when there is no login for the image's registry. */
export function authOf(image: string, anyLogin: RegistryLogin | undefined): RegistryAuth | undefined {
  const login = loginFor(image, anyLogin);
  if (!login) return undefined;
  return { username: login.username, password: login.personalAccessToken, serveraddress: registryOf(image) };
}
