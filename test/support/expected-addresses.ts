/** The rules of routing once more, as simply as they can be said. */
import type { Site } from '../../src/deployment/site.ts';

/** PURE. The addresses that may answer this request. */
export function expectedAddresses(sites: Site[], host: string, path: string): string[] {
  const bare = (name: string) => name.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  const owner = sites.find((site) => /^[\w.-]+$/.test(site.host) && bare(site.host) === bare(host));
  const wanted = segmentsOf(path);
  let best: { depth: number; addresses: string[] } = { depth: -1, addresses: ['404'] };
  for (const { path: prefix, address } of owner?.endpoints ?? []) {
    if (/^\/\/|(^|\/)\.\.?(\/|$)/.test(prefix)) continue;
    const offered = segmentsOf(
      encodeURI(prefix).replaceAll('%25', '%').replaceAll('#', '%23').replaceAll('?', '%3F').replace(/\/+$/, ''),
    );
    if (!offered.every((segment, index) => segment === wanted[index])) continue;
    if (offered.length === best.depth) best.addresses.push(address);
    if (offered.length > best.depth) best = { depth: offered.length, addresses: [address] };
  }
  return best.addresses;
}

/** Follows the URL standard's rules for dots, without its other normalization. */
function segmentsOf(path: string): string[] {
  const done: string[] = [];
  const decoded = path.replace(/%(61|7e|2e)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  for (const segment of decoded.split('/').slice(1)) {
    if (segment === '..') done.pop();
    else if (segment !== '.') done.push(segment);
  }
  while (done.length && done[0] === '') done.shift();
  return done;
}
