/** The list of remembered deployments. Pure. */

export type Remembered = {
  applicationName: string;
  environment: string;
  url: string;
  sessionToken: string;
  /** A date-time. */
  startedAt: string;
  /** As reported by the service, or requested here. */
  hasEnded?: boolean;
  /**
   * For an ended deployment: the time until which it can be restored. Empty if it cannot be restored; absent if that is
   * unknown.
   */
  restorableUntil?: string;
};

/** Users do not look through more, and each costs a request when the list is shown. */
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

/** Returns the same list if nothing changes. `restorableUntil`: as above. */
export function withEnd(
  list: readonly Remembered[],
  { environment, applicationName }: Pick<Remembered, 'environment' | 'applicationName'>,
  hasEnded: boolean,
  restorableUntil?: string,
): readonly Remembered[] {
  const changes = (one: Remembered) =>
    one.environment === environment &&
    one.applicationName === applicationName &&
    ((one.hasEnded ?? false) !== hasEnded || (restorableUntil ?? one.restorableUntil) !== one.restorableUntil);
  if (!list.some(changes)) return list;
  return list.map((one) => {
    if (!changes(one)) return one;
    const { restorableUntil: _, ...rest } = one;
    return { ...rest, hasEnded, ...(restorableUntil !== undefined && { restorableUntil }) };
  });
}

/** Returns whether the deployment runs, as far as known, or may have been restored elsewhere. */
export function mayRun({ hasEnded, restorableUntil }: Remembered, now: number): boolean {
  return !hasEnded || restorableUntil === undefined || Date.parse(restorableUntil) > now;
}

/** Leaves out invalid entries. */
export function readRemembered(text: string): Remembered[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isRemembered).slice(0, most) : [];
  } catch {
    // The entry is missing, or was written by another program.
    return [];
  }
}

const fields = ['applicationName', 'environment', 'url', 'sessionToken', 'startedAt'] as const;

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Record<string, unknown>;
  // The address becomes a link, so only web addresses are allowed.
  return fields.every((field) => typeof given[field] === 'string') && /^https?:\/\//.test(String(given.url));
}
