/** PURE. Parses a PostgreSQL connection URL: the server, the user, and the protection of the connection. */

/**
 * libpq's names: `require` encrypts without verification, `verify-ca` accepts any name that the authority has signed.
 */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

export type TlsMode = (typeof tlsModes)[number];

export type PostgresAddress = {
  /** A name, an address, or the directory of a unix socket. */
  host: string;
  port: number;
  /** Absent: as the account of this process. */
  user?: string;
  /** Absent if the server requires no password, or it is in PGPASSWORD or ~/.pgpass. */
  password?: string;
  /** Absent: called like the user. */
  database?: string;
  tls: { mode: TlsMode; caFile?: string; certificateFile?: string; keyFile?: string };
};

const usualPort = 5432;
const known = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * `postgresql://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/etc/ca.pem`, or
 * `postgresql:///database?host=/run/postgresql&user=berth` for a unix socket, with `port` if it differs. Without
 * `sslmode`, a remote server must be verified, and a local one is used without encryption. Throws an error with the
 * expected form, without quoting the text.
 */
export function parsePostgresUrl(text: string): PostgresAddress {
  const url = URL.parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw new Error('must be an address such as postgresql://user:password@db.example.com/berth?sslmode=verify-full');
  const parameters = url.searchParams;
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`may have the parameters ${known.join(', ')} and no others`);
  const host = parameters.get('host') || decode(url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new Error('must name a host, or a unix socket as ?host=/run/postgresql');
  const isLocal = host.startsWith('/') || /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);
  const mode = tlsModes.find((each) => each === (parameters.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full')));
  if (!mode) throw new Error(`must have one of these for sslmode: ${tlsModes.join(', ')}`);
  if (host.startsWith('/') && mode !== 'disable') throw new Error('must have no sslmode: a unix socket needs none');
  const caFile = parameters.get('sslrootcert');
  const certificateFile = parameters.get('sslcert');
  const keyFile = parameters.get('sslkey');
  if ((certificateFile === null) !== (keyFile === null)) throw new Error('must have sslcert and sslkey, or neither');
  const [name, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decode);
  const user = name || parameters.get('user');
  return {
    host,
    port: Number(url.port || parameters.get('port') || usualPort),
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
    tls: {
      mode,
      ...(caFile && { caFile }),
      ...(certificateFile && { certificateFile }),
      ...(keyFile && { keyFile }),
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have %25 for a percent sign in a name or a password');
  }
}
