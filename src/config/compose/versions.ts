/** Which version to name for an image without one. Pure. */
import { isOfDockerHub, shortNameOf } from '../values/image-names.ts';
import { knownImage } from './known-images.ts';

/** Tags of official images that go on with small versions and stay with the large one. */
const versions: Record<string, string> = {
  postgres: '17',
  mysql: '8.4',
  mariadb: '11',
  mongo: '8',
  redis: '7',
  memcached: '1.6',
  rabbitmq: '4',
  nginx: '1.29',
  httpd: '2.4',
  caddy: '2',
  traefik: 'v3',
  wordpress: '6',
  ghost: '6',
  adminer: '5',
  phpmyadmin: '5',
  node: '22',
  python: '3.13',
  php: '8.4',
  ruby: '3.4',
  golang: '1.25',
  alpine: '3.22',
  debian: '13',
  ubuntu: '24.04',
};

/** One message about all images without a tag. */
export function untaggedWords(images: readonly string[]): { message: string; hint: string } {
  const shown = images.slice(0, 5).map((image) => `"${image}"`);
  const list = images.length > 5 ? `${shown.join(', ')}, …` : shown.join(', ');
  const subject =
    images.length === 1 ? `the image ${list} has no tag, and means` : `the images ${list} have no tag, and mean`;
  const [first = ''] = images;
  const example = images.map(exampleOf).find((one) => one !== undefined);
  const instead = example
    ? `say which version, for example ${example}`
    : `name the version that you run, as ${first}:VERSION`;
  const isStore = images.some((image) => knownImage(image)?.role === 'store');
  return { message: `${subject} latest`, hint: isStore ? `${instead}; the next one may not read its data` : instead };
}

function exampleOf(image: string): string | undefined {
  const name = shortNameOf(image);
  const isOfficial = isOfDockerHub(image) && (image === name || image === `library/${name}`);
  return isOfficial && Object.hasOwn(versions, name) ? `${image}:${versions[name]}` : undefined;
}
