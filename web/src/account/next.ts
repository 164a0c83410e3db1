/** Where to go after signing in. Pure. */

/** The path that `?next=` names, when it is one of this dashboard; another site must not be able to send people on. */
export function nextPath(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next');
  const url = next?.startsWith('/') ? URL.parse(next, origin) : null;
  return url?.origin === origin ? `${url.pathname}${url.search}` : '/deployments';
}

/** A page of signing in from which one comes back to `path`. */
export function signInPath(page: 'sign-in' | 'sign-up' | 'forgot-password', path: string | undefined): string {
  return path === undefined ? `/${page}` : `/${page}?${new URLSearchParams({ next: path })}`;
}
