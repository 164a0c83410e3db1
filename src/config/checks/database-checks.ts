/** Databases: their data must be where their image looks for it, and some images do not start without a password. */
import type { Path, TextEdit } from '../diagnostics/diagnostics.ts';
import { addField, replaceValue } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { entriesOf, nearest } from '../document/tree.ts';
import { dataDirectory, needsDataDirectory, newDataDirectory, oldDataDirectory } from '../software/postgres-data.ts';
import type { PodSpec } from '../spec/spec.ts';
import type { PodContext } from './context.ts';

/** Sets PostgreSQL's data directory to its volume. On the path of older images, no setting is needed. */
export function readDataDirectory({ pod, path, report, source }: PodContext): void {
  if (!needsDataDirectory(pod)) return;
  pod.vars.PGDATA = dataDirectory;
  const position = pod.volumes.findIndex(({ mountPath }) => mountPath === oldDataDirectory);
  const at = [...path, 'volumes', position, 'mountPath'];
  const message = `PostgreSQL from 18 on does not start with a volume here; PGDATA is set to ${dataDirectory}`;
  report.warn(at, 'data-directory', message, {
    hint: `write ${newDataDirectory}, its directory since then`,
    fix: replaceValue(source, at, newDataDirectory),
  });
}

type Family = { image: RegExp; called: string; password: string; others: RegExp };

/** Images that fail at their first start unless one of these variables defines the password. */
const families: Family[] = [
  {
    image:
      /^(?:docker\.io\/)?(?:(?:library\/)?postgres|pgvector\/pgvector|postgis\/postgis|timescale\/timescaledb)[:@]/,
    called: 'PostgreSQL',
    password: 'POSTGRES_PASSWORD',
    others: /^POSTGRES_(?:PASSWORD_FILE|HOST_AUTH_METHOD)$/,
  },
  {
    image: /^(?:docker\.io\/)?(?:library\/)?(?:mysql|percona)[:@]/,
    called: 'MySQL',
    password: 'MYSQL_ROOT_PASSWORD',
    others: /^MYSQL_(?:ROOT_PASSWORD_FILE|ALLOW_EMPTY_PASSWORD|RANDOM_ROOT_PASSWORD)$/,
  },
  {
    image: /^(?:docker\.io\/)?(?:library\/)?mariadb[:@]/,
    called: 'MariaDB',
    password: 'MARIADB_ROOT_PASSWORD',
    others:
      /^(?:MYSQL_ROOT_PASSWORD|MARIADB_ROOT_PASSWORD_HASH|(?:MARIADB|MYSQL)_(?:ROOT_PASSWORD_FILE|ALLOW_EMPTY_(?:ROOT_)?PASSWORD|RANDOM_ROOT_PASSWORD))$/,
  },
];

/** Returns the variable that the image needs at its first start, if none of the alternatives is in `names`. */
export function missingPassword(image: string, names: readonly string[]): string | undefined {
  const family = families.find((each) => each.image.test(image));
  if (!family || names.some((name) => name === family.password || family.others.test(name))) return undefined;
  return family.password;
}

export function checkPassword({ pod, path, report, source }: PodContext): void {
  const defined = Object.keys(pod.vars).filter((name) => pod.vars[name] !== '');
  const password = missingPassword(pod.image, defined);
  if (password === undefined || !startsServer(pod) || report.isBroken([...path, 'vars'])) return;
  const { called } = families.find(({ image }) => image.test(pod.image))!;
  const line = `${password}: "\${${password}}"`;
  const fix = addVariable(source, path, line);
  report.warn([...path, 'image'], 'missing-password', `${called} does not start without ${password}`, {
    hint: `write ${line} for a random one, and the same in the addresses that other pods use`,
    fix,
  });
}

/** Adds the line as the second of the variables, or with a new "vars". Undefined if the variables are not a map. */
function addVariable(source: Source, path: Path, line: string): TextEdit | undefined {
  const { field } = nearest(source.root, [...path, 'vars']);
  if (field.path.length === path.length) return addField(source, path, 'image', `vars: { ${line} }`);
  const [first] = entriesOf(field);
  return first && addField(source, field.path, first[0], line);
}

/** The image is also used for backups and clients. */
function startsServer({ entrypoint, command = [] }: PodSpec): boolean {
  const [first] = command;
  if (entrypoint !== undefined) return false;
  return first === undefined || /^-|(?:^|\/)(?:postgres|mysqld|mariadbd|docker-entrypoint\.sh)$/.test(first);
}
