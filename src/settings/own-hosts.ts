/** Names of the service itself. */
import type { Settings } from './settings.ts';

/** Hosts at which the API itself answers; every other one is an application's. */
export function apiHosts({ baseUrl, host }: Pick<Settings, 'baseUrl' | 'host'>): string[] {
  const own = host === '0.0.0.0' || host === '::' ? [] : [host.includes(':') ? `[${host}]` : host];
  return [...new Set([baseUrl.hostname, 'localhost', '127.0.0.1', '[::1]', ...own])];
}

/** A service for this machine alone has several names; on a server, a page at `localhost` is somebody else's. */
export function otherOrigins(settings: Pick<Settings, 'baseUrl' | 'host'>): string[] {
  const { hostname, port } = settings.baseUrl;
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return [];
  return apiHosts(settings).map((host) => new URL(`http://${host}:${port || 80}`).origin);
}
