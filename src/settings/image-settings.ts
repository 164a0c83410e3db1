/** Settings about images: allowed registries and sizes. */
import { address, duration, type Setting, size, Unreadable } from './setting-values.ts';

export type ImageSettings = {
  registries: ListedRegistry[];
  localImages: LocalImages;
  gateHost: string;
  imageBytes: number;
  imageUnpackedBytes: number;
  registryPatienceMs: number;
  imageCacheBytes: number;
  pushedBytes: number;
};

export type ListedRegistry = { host: string; plainHttp: boolean; caFile?: string; loginFile?: string; open?: string[] };

/** `built`: images that the set-up has built. `patterns`: names of further images, in which `*` matches any characters. */
type LocalImages = { built: boolean; patterns: string[] };

export const imageTable = {
  registries: {
    variable: 'REGISTRIES',
    default: '',
    help: 'registries on private addresses, and registries with a login for all users: "registry.lan:5000 http; harbor.lan ca=FILE login=FILE"',
    read: registries,
  },
  localImages: {
    variable: 'LOCAL_IMAGES',
    default: 'built',
    help: 'images of this host that all users may run: names such as acme/*,tools:1, built (by the set-up), or none',
    read: localImages,
  },
  gateHost: {
    variable: 'GATE_HOST',
    default: '127.0.0.1',
    help: "address where the engine pulls images from Berth; for an engine on another machine, this machine's address, also listed in its insecure-registries",
    read: address,
  },
  imageBytes: {
    variable: 'IMAGE_SIZE',
    default: '10Gi',
    help: 'maximum compressed image size',
    read: size,
  },
  imageUnpackedBytes: {
    variable: 'IMAGE_UNPACKED',
    default: '20Gi',
    help: 'maximum unpacked image size',
    read: size,
  },
  registryPatienceMs: {
    variable: 'REGISTRY_PATIENCE',
    default: '30s',
    help: 'how long a registry may send almost nothing before the pull is stopped and retried later',
    read: duration,
  },
  imageCacheBytes: {
    variable: 'IMAGE_CACHE',
    default: '10Gi',
    help: 'maximum size of the layer cache in the data directory',
    read: size,
  },
  pushedBytes: {
    variable: 'PUSHED_IMAGES',
    default: '50Gi',
    help: 'maximum total size of pushed images, in the data directory',
    read: size,
  },
} satisfies { [K in keyof ImageSettings]: Setting<ImageSettings[K]> };

const registryForm =
  'must be registries such as "registry.lan:5000 http; harbor.lan ca=/etc/ca.pem login=/etc/harbor.login", ' +
  'where a login file has one line, name:token, and open=acme/ limits the login to repositories that begin so';

/** The default. */
export const noRegistries: ListedRegistry[] = [];

function registries(value: string): ListedRegistry[] {
  return listedHosts(value, registryForm);
}

/** `form`: what to say of a value that cannot be read. */
export function listedHosts(value: string, form: string): ListedRegistry[] {
  const entries = value.split(';').map((text) => text.trim());
  return entries.filter((text) => text !== '').map((text) => listedHost(text, form));
}

function listedHost(text: string, form: string): ListedRegistry {
  const [host = '', ...words] = text.split(/\s+/);
  // The host as image references and URLs write it, without a default port.
  const isPlain = words.includes('http');
  if (!/^[a-z0-9.-]+(?::\d+)?$/.test(host) || URL.parse(`${isPlain ? 'http' : 'https'}://${host}`)?.host !== host)
    throw new Unreadable(form);
  const listed: ListedRegistry = { host, plainHttp: isPlain };
  for (const word of words.filter((each) => each !== 'http')) {
    const [, beginning] = /^open=([a-z0-9][a-z0-9._/-]*)$/.exec(word) ?? [];
    if (beginning !== undefined) {
      listed.open = [...(listed.open ?? []), beginning];
      continue;
    }
    const [, key, file] = /^(ca|login)=(\/.+)$/.exec(word) ?? [];
    if (file === undefined) throw new Unreadable(form);
    if (key === 'ca') listed.caFile = file;
    else listed.loginFile = file;
  }
  return listed;
}

function localImages(value: string): LocalImages {
  if (value === 'none') return { built: false, patterns: [] };
  const words = value.split(',').map((text) => text.trim());
  if (words.some((word) => !/^[\w./:@*-]+$/.test(word)))
    throw new Unreadable('must be built, none, or names of images such as acme/*,tools:1');
  return { built: words.includes('built'), patterns: words.filter((word) => word !== 'built') };
}
