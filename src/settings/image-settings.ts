/** Settings about images: allowed registries, sizes, and where the engine pulls. */
import { isIP, isIPv4 } from 'node:net';
import { fieldGroup, type SettingGroup, size, type Table, Unreadable } from './setting-values.ts';

type ImageLimits = { imageBytes: number; imageUnpackedBytes: number; imageCacheBytes: number; pushedBytes: number };

type GateSettings = { gateHost: string; nodeGate: NodeGate | undefined };

export type ImageSettings = ImageLimits & GateSettings & { registries: ListedRegistry[]; localImages: LocalImages };

/** `name`: host and port that nodes use for the gate. */
type NodeGate = { host: string; port: number; name: string };

export type ListedRegistry = { host: string; plainHttp: boolean; caFile?: string; loginFile?: string; open?: string[] };

/** `built`: images of the set-up. `patterns`: names of further images, in which `*` matches any characters. */
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
  gate: {
    variable: 'GATE',
    default: '127.0.0.1',
    help: 'address where the engine pulls images from Berth; for Docker on another machine, this machine\'s address, also listed in its insecure-registries; on Kubernetes, the address and port where Berth serves images to nodes, and the name that nodes use: "0.0.0.0:5000 as localhost:30500"',
    isGroup: true,
    read: gate,
  },
  imageLimits: fieldGroup<ImageLimits>(
    'IMAGE_LIMITS',
    'maximum compressed and unpacked size of an image; maximum size of the layer cache and of all pushed images, both in the data directory',
    {
      imageBytes: { name: 'size', default: '10Gi', read: size },
      imageUnpackedBytes: { name: 'unpacked', default: '20Gi', read: size },
      imageCacheBytes: { name: 'cache', default: '10Gi', read: size },
      pushedBytes: { name: 'pushed', default: '50Gi', read: size },
    },
  ),
} satisfies Table<{
  registries: ListedRegistry[];
  localImages: LocalImages;
  gate: GateSettings;
  imageLimits: ImageLimits;
}> & { gate: SettingGroup<GateSettings> };

function gate(value: string): GateSettings {
  if (isIP(value) > 0) return { gateHost: value, nodeGate: undefined };
  const [, host, port = '', name] = /^([\d.]+):(\d{1,5})(?: as ([a-z0-9.-]+(?::\d{1,5})?))?$/.exec(value) ?? [];
  if (isIPv4(host ?? '') && Number(port) >= 1 && Number(port) <= 65_535)
    return { gateHost: '127.0.0.1', nodeGate: { host: host!, port: Number(port), name: name ?? `${host}:${port}` } };
  throw new Unreadable(
    'must be an IP address; on Kubernetes an IPv4 address and a port, and the name that nodes use, such as "0.0.0.0:5000 as localhost:30500"',
  );
}

const registryForm =
  'must be registries such as "registry.lan:5000 http; harbor.lan ca=/etc/ca.pem login=/etc/harbor.login", ' +
  'where a login file has one line, name:token, and open=acme/ limits the login to repositories that begin so';

/** The default. */
export const noRegistries: ListedRegistry[] = [];

function registries(value: string): ListedRegistry[] {
  return listedHosts(value, registryForm);
}

/** `form`: the message for a value that cannot be read. */
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
