/** A service that is being converted to a pod, with the origins of its parts in the document. */
import { listOf, type Path } from '../diagnostics/diagnostics.ts';
import type { Field } from '../document/tree.ts';
import type { PodSpec, RouteOptions } from '../spec/spec.ts';
import type { Reading } from './compose-reader.ts';
import type { Port } from './service-ports.ts';

export type Draft = {
  /** The name of the service in the document. */
  service: string;
  field: Field;
  pod: PodSpec;
  ports: Port[];
  /** See `Scale`. */
  isRestartedWhenDone: boolean | undefined;
  /** Whether the service listens: it has ports, or is a known database. */
  isServer: boolean;
  dependencies: Dependency[];
  extension: Extension;
  origins: Origins;
};

export type Dependency = {
  service: string;
  condition: string;
  isRequired: boolean;
  isRestartedWith?: boolean;
  field: Field;
};

/** The `x-berth` key of a service. A path of `false` keeps a service with published ports internal. */
export type Extension = {
  path?: { value: string | false; field: Field };
  port?: number;
  url?: { value: string; field: Field };
  subdomain?: string;
  resourceType?: PodSpec['resourceType'];
  options: RouteOptions;
};

/** The parts of a pod, as paths below it, with the fields that they come from. */
export class Origins {
  readonly #fields = new Map<string, Field>();

  set(path: Path, field: Field): void {
    this.#fields.set(path.join('\0'), field);
  }

  /** The field of exactly this part. */
  at(path: Path): Field | undefined {
    return this.#fields.get(path.join('\0'));
  }

  /** The field of the part, or of the nearest one around it. */
  find(path: Path): Field | undefined {
    for (let length = path.length; length > 0; length--) {
      const field = this.#fields.get(path.slice(0, length).join('\0'));
      if (field) return field;
    }
    return undefined;
  }
}

/** Addresses in variables that work on the machine where Compose runs, but not in a deployment. */

const local = /\bhttps?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d{1,5}))?(?![\w.:-])/g;

/**
 * In a Compose file, `http://localhost:8080` is usually the address of a published service for browsers. Here, that is
 * the application's own address.
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
