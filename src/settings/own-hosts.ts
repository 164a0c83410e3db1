/** Host names of the service itself. */
import type { Settings } from './settings.ts';

/** Returns the hosts of the API. All other hosts belong to applications. */
export function apiHosts({ baseUrl, host }: Pick<Settings, 'baseUrl' | 'host'>): string[] {
  const own = host === '0.0.0.0' || host === '::' ? [] : [host.includes(':') ? `[${host}]` : host];
  return [...new Set([baseUrl.hostname, 'localhost', '127.0.0.1', '[::1]', ...own])];
}

/** Returns all origins of a service that only this machine uses. On a server, `localhost` is another program's. */
export function otherOrigins(settings: Pick<Settings, 'baseUrl' | 'host'>): string[] {
  const { hostname, port } = settings.baseUrl;
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return [];
  return apiHosts(settings).map((host) => new URL(`http://${host}:${port || 80}`).origin);
}
