/** Addresses in variables that are right where Compose runs, and lead nowhere here. */

import { listOf } from '../diagnostics/diagnostics.ts';
import type { Reading } from './compose-reader.ts';
import type { Draft } from './draft.ts';

const local = /\bhttps?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d{1,5}))?(?![\w.:-])/g;

/**
 * `http://localhost:8080` is, in a Compose file, most often the address by which a browser reaches a service that is
 * published there: here it is the application's own.
 */
export function warnOfPublishedAddresses(drafts: Draft[], reading: Reading): void {
  const published = new Map(
    drafts.flatMap((draft) =>
      draft.ports.flatMap(({ published: host }) => (host === undefined ? [] : [[host, draft.pod] as const])),
    ),
  );
  for (const { pod, origins, field } of drafts) {
    for (const [name, value] of Object.entries(pod.vars)) {
      if (!value.includes('://')) continue;
      for (const [address, port] of value.matchAll(local)) {
        const meant = published.get(Number(port ?? 80));
        if (meant?.path === undefined) continue;
        const instead = meant.path === '/' ? '<% URL %>' : `<% URL %>${meant.path}`;
        const at = origins.find(['vars', name]) ?? field;
        const subject = `${address} is the address of "${meant.name}"`;
        reading.gather(at, 'localhost-reference', 'service', subject, localWords, `${instead} for ${address}`);
      }
    }
  }
}

function localWords(addresses: readonly string[], instead: readonly string[]): { message: string; hint: string } {
  return { message: `${listOf(addresses)} where Compose runs, and not here`, hint: `write ${listOf(instead)}` };
}
