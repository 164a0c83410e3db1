/** The paths of the dashboard and what they show. Pure. */

export const tabs = ['overview', 'build', 'logs', 'terminal', 'events', 'revisions', 'data', 'configuration'] as const;
export type Tab = (typeof tabs)[number];

export type Route =
  | { page: 'home' }
  | { page: 'new' }
  | { page: 'templates' }
  | { page: 'deployments' }
  | { page: 'deployment'; environment: string; applicationName: string; tab: Tab }
  | { page: 'claim'; token: string }
  | { page: 'shared'; token: string }
  | { page: 'account' }
  | { page: 'sign-in' }
  | { page: 'sign-up' }
  | { page: 'forgot-password' }
  | { page: 'reset-password' }
  | { page: 'verify-email' }
  | { page: 'login' }
  | { page: 'unknown' };

/** Pages whose path is their name. */
const plain = [
  'new',
  'templates',
  'deployments',
  'account',
  'sign-in',
  'sign-up',
  'forgot-password',
  'reset-password',
  'verify-email',
  'login',
] as const;

export function readRoute(path: string): Route {
  const [first, ...rest] = path.split('/').filter(Boolean).map(decoded);
  if (first === undefined) return { page: 'home' };
  if (rest.length === 0) {
    const page = plain.find((name) => name === first);
    return { page: page ?? 'unknown' };
  }
  if (first === 'claim' && rest.length === 1) return { page: 'claim', token: rest[0]! };
  if (first === 'shared' && rest.length === 1) return { page: 'shared', token: rest[0]! };
  if (first !== 'd' || rest.length > 3) return { page: 'unknown' };
  const [environment, applicationName, tab = 'overview'] = rest;
  const known = tabs.find((name) => name === tab);
  if (environment === undefined || applicationName === undefined || known === undefined) return { page: 'unknown' };
  return { page: 'deployment', environment, applicationName, tab: known };
}

export function pathOf(route: Exclude<Route, { page: 'unknown' }>): string {
  switch (route.page) {
    case 'home':
      return '/';
    case 'claim':
      return `/claim/${encodeURIComponent(route.token)}`;
    case 'shared':
      return `/shared/${encodeURIComponent(route.token)}`;
    case 'deployment': {
      const parts = ['d', route.environment, route.applicationName, ...(route.tab === 'overview' ? [] : [route.tab])];
      return `/${parts.map(encodeURIComponent).join('/')}`;
    }
    default:
      return `/${route.page}`;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A percent sign that a person typed.
    return part;
  }
}
