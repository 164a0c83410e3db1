/**
 * The image with which an export's scripts fill claims on a cluster: a Debian with GNU tar, under the name in the
 * scripts.
 */
import type Docker from 'dockerode';
import type { Recipe } from '../../scripts/setup/images/build.ts';
import { takePrograms } from '../../scripts/setup/images/root.ts';
import { provideRecipe } from './provide-recipe.ts';

const debian: Recipe = {
  image: 'debian:12-slim',
  from: 'Debian packages',
  seconds: 3,
  packages: ['tar'],
  config: { Cmd: ['bash'] },
  fill: (root) => takePrograms(root, ['/usr/bin/tar']),
};

/** The reference of the image, which is built when it is not there. */
export function provideDebian(docker: Docker): Promise<string> {
  return provideRecipe(docker, debian);
}
