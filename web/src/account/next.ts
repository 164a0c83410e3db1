/** Where to go after signing in. Pure. */

/** Returns the path in `?next=`, if it is one of this dashboard. Another site must not be able to redirect users. */
export function nextPath(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next');
  const url = next?.startsWith('/') ? URL.parse(next, origin) : null;
  return url?.origin === origin ? `${url.pathname}${url.search}` : '/deployments';
}

/** Returns the path of a sign-in page that returns to `path`. */
export function signInPath(page: 'sign-in' | 'sign-up' | 'forgot-password', path: string | undefined): string {
  return path === undefined ? `/${page}` : `/${page}?${new URLSearchParams({ next: path })}`;
}
