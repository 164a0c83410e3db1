/** Suggests a replacement for a mount of the host: usually a volume, a text in the document, or its removal. Pure. */
import { slugOf, VolumeNames } from './compose-names.ts';

export type Bind = { service: string; source: string; target: string };

/**
 * Returns the hint for a bind mount. Each folder gets a volume of its own, and services that mount the same folder
 * share it.
 */
export function openBinds(taken: readonly string[]): (bind: Bind) => string {
  const names = new VolumeNames();
  for (const name of taken) names.take(name);
  const known = new Map<string, string>();

  const volumeFor = ({ service, source, target }: Bind): string => {
    const key = source === '' ? `${service} ${target}` : source.replace(/(?<![\\/])[\\/]+$/, '');
    const last = lastOf(target) || 'data';
    const name = known.get(key) ?? names.take(last === service ? service : `${service}-${last}`);
    known.set(key, name);
    return name;
  };

  return (bind) => {
    const target = bind.target || '/path';
    switch (bindKind(bind)) {
      case 'machine':
        return 'remove it: a service cannot access the host';
      case 'certificates':
        return 'remove it: visitors have HTTPS without it, and the service speaks HTTP';
      case 'text': {
        const file = lastOf(bind.source);
        const name = slugOf(file).slice(0, 60) || 'file';
        const path = /\/$/.test(target) ? `${target}${file}` : target;
        return `put its text into the document: configs: { ${name}: { content: … } } at the top, with $$ for a dollar sign, and configs: [{ source: ${name}, target: ${path} }] here`;
      }
      case 'written': {
        const name = volumeFor({ ...bind, target: '/data' });
        return `a file that is written belongs on a volume: name one for a folder of its own, ${name}:/data, with volumes: { ${name}: } at the top, and let the service keep the file there`;
      }
      case 'binary':
        return 'put the file into the image: only texts can be in the document';
      case 'texts':
        return `put its files into the document, each as a config: configs: { NAME: { content: … } } at the top, and configs: [{ source: NAME, target: ${target.replace(/\/$/, '')}/FILE }] here; or put them into the image`;
      case 'code':
        return 'put the files into the image, or as configs with content into the document';
      case 'data': {
        const name = volumeFor(bind);
        return `for data, name a volume: ${name}:${target}, with volumes: { ${name}: } at the top; for files, use configs with content, or put them into the image`;
      }
    }
  };
}

export type BindKind = 'machine' | 'certificates' | 'text' | 'written' | 'binary' | 'texts' | 'code' | 'data';

const machine =
  /^(?:\/|\/(?:proc|sys|dev|boot|run|lib|sbin|bin|usr\/(?:src|s?bin|lib|local\/s?bin|share\/zoneinfo))(?:\/.*)?|\/var\/(?:run|log|lib\/docker)(?:\/.*)?|\/tmp\/\.X11-unix|\/etc\/(?:passwd|group|shadow|hostname|hosts|resolv\.conf|machine-id|os-release))$/;
const certificates = /^\/etc\/(?:letsencrypt|ssl|pki)(?:\/|$)/;
/** Files of databases, and logs. */
const writtenFile = /\.(?:db3?|sqlite3?|mdb|rdb|aof|mv\.db|log|lock|pid|dat)$/i;
const binaryFile =
  /\.(?:jar|war|zip|t?gz|tar|bz2|xz|7z|png|jpe?g|gif|ico|webp|svgz|woff2?|ttf|otf|pdf|so|exe|bin|whl|deb|p12|pfx|jks|keystore|mmdb|onnx|gguf|safetensors|mp[34]|wasm|iso)$/i;
const textFile =
  /(?:\.(?:conf|cnf|cfg|ini|json5?|ya?ml|toml|xml|sql|sh|bash|env|txt|html?|css|m?[jt]sx?|cjs|py|rb|php|pl|lua|properties|pem|crt|cer|key|csr|pub|htpasswd|vcl|md|te?mpl|tpl|j2|hcl|acl|rules?|list|csv|svg|config|lock\.json|prisma|graphql|proto|dockerfile|conf\.template|repo)|^(?:Caddyfile|Corefile|Dockerfile|Makefile|Procfile|hosts|crontab|\.env[\w.-]*|\.htpasswd|\.npmrc|\.netrc))$/i;
/** Folders whose names look like file names: `conf.d`, `initdb.d`. */
const foldersOfTexts =
  /^(?:[\w.-]+\.d|conf|confs|config|configs|nginx|init|initdb|certs?|ssl|provisioning|dashboards|templates|sql)$/i;
const scripts = /^\/docker-entrypoint-[\w.-]+(?:\/|$)/;
const codeFolder =
  /^(?:\.{1,2}|src|app|apps|code|frontend|backend|web|client|server|api|public|static|html|www|lib|tests?|scripts|migrations|packages|plugins|themes|wp-content|project|site|node_modules)$/i;
const codeTarget = /^\/(?:app|code|src|usr\/src|workspaces?|srv|project|var\/www|home\/node|opt\/app)(?:\/|$)/;
const dataFolder = /(?:data|db|database|uploads?|storage|media|logs?|cache|backups?|volumes?|dump|files|pgdata)$/i;

/** The likely purpose of a mount, by its names alone, without access to the host. */
export function bindKind({ source, target }: Pick<Bind, 'source' | 'target'>): BindKind {
  if (machine.test(source)) return 'machine';
  if (certificates.test(source)) return 'certificates';
  const last = lastOf(source);
  const isFolder = /[\\/]$/.test(source) || /^[\w-]+\.d$/.test(last);
  if (!isFolder) {
    if (writtenFile.test(last)) return 'written';
    if (binaryFile.test(last)) return 'binary';
    if (textFile.test(last)) return 'text';
  }
  if (scripts.test(target)) return 'texts';
  if (/^[/~]|^[A-Za-z]:/.test(source) || source === '') return 'data';
  if (/^\/etc(?:\/|$)/.test(target) && !dataFolder.test(last)) return 'texts';
  if (dataFolder.test(last)) return 'data';
  if (codeFolder.test(last) || codeTarget.test(target)) return 'code';
  return foldersOfTexts.test(last) ? 'texts' : 'data';
}

/** Returns whether a folder with this name most likely contains data that a program writes. */
export function isDataFolderName(path: string): boolean {
  return dataFolder.test(lastOf(path));
}

/** Scripts and settings that a program reads at its start: never data, for any name of the folder. */
export function isReadAtStart(target: string): boolean {
  return (
    scripts.test(target) ||
    /^\/etc(?:\/|$)/.test(target) ||
    /\/(?:html|www|htdocs|public|static|templates)\/?$/.test(target)
  );
}

function lastOf(path: string): string {
  return (
    path
      .slice(-300)
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  );
}
