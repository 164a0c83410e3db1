/** Absolute paths in a container. Written out, because the checks also run in a browser, which has no `node:path`. */

/** Without `.`, `..` and doubled slashes; a slash at the end stays. */
export function normalisePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}${parts.length > 0 && path.endsWith('/') ? '/' : ''}`;
}

/** `/etc/app/key` → `/etc/app` and `key`. */
export function splitPath(path: string): { directory: string; fileName: string } {
  const slash = path.lastIndexOf('/');
  return { directory: path.slice(0, slash) || '/', fileName: path.slice(slash + 1) };
}
