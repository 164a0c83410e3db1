/**
 * The volume in which a deployment's images are built. It keeps base images and layers for the next build. No volume of a
 * configuration has a dot in its name.
 */
export const buildVolume = 'build.cache';
