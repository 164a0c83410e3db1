/** Where the text of a file is that a forge shows as a page. Pure. */

/** GitHub and GitLab have the page and the text of a file at different addresses; people copy that of the page. */
export function rawAddress(address: URL): URL {
  const { hostname, pathname } = address;
  const onGitHub = /^\/([^/]+)\/([^/]+)\/(?:blob|raw)\/(.+)$/.exec(pathname);
  if (hostname === 'github.com' && onGitHub) {
    const [, owner, repository, rest] = onGitHub;
    return new URL(`https://raw.githubusercontent.com/${owner}/${repository}/${rest}`);
  }
  if (hostname === 'gitlab.com' && pathname.includes('/-/blob/')) {
    return new URL(pathname.replace('/-/blob/', '/-/raw/'), address.origin);
  }
  return address;
}
