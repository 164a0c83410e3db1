/** The list of remembered deployments. Pure. */

export type Remembered = {
  applicationName: string;
  environment: string;
  url: string;
  sessionToken: string;
  /** A date-time. */
  startedAt: string;
  /** As the service has told, or as it was asked for here. */
  hasEnded?: boolean;
};

/** More are not looked through by anybody, and each is a request when the list is shown. */
const most = 20;

/** Newest first, each once. */
export function remember(list: readonly Remembered[], deployment: Remembered): Remembered[] {
  return [deployment, ...forget(list, deployment)].slice(0, most);
}

export function forget(
  list: readonly Remembered[],
  { environment, applicationName }: Pick<Remembered, 'environment' | 'applicationName'>,
): Remembered[] {
  return list.filter((one) => one.environment !== environment || one.applicationName !== applicationName);
}

/** The same list where nothing changes. */
export function withEnd(
  list: readonly Remembered[],
  { environment, applicationName }: Pick<Remembered, 'environment' | 'applicationName'>,
  hasEnded: boolean,
): readonly Remembered[] {
  const changes = (one: Remembered) =>
    one.environment === environment && one.applicationName === applicationName && (one.hasEnded ?? false) !== hasEnded;
  return list.some(changes) ? list.map((one) => (changes(one) ? { ...one, hasEnded } : one)) : list;
}

/** Those by which something may still run: a session of which all has ended answers that it is not found. */
export function tokensToAsk(list: readonly Remembered[]): string[] {
  return [...new Set(list.filter(({ hasEnded }) => !hasEnded).map(({ sessionToken }) => sessionToken))];
}

/** Whatever else stands in the storage is left out. */
export function readRemembered(text: string): Remembered[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isRemembered).slice(0, most) : [];
  } catch {
    // Nothing was kept yet, or something else has written there.
    return [];
  }
}

const fields = ['applicationName', 'environment', 'url', 'sessionToken', 'startedAt'] as const;

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Record<string, unknown>;
  // The address becomes a link: nothing but the web's own.
  return fields.every((field) => typeof given[field] === 'string') && /^https?:\/\//.test(String(given.url));
}
