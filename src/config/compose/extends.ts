/** Resolves `extends`: merges a service with another service of the document. */
import { listOf } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { childOf, entriesOf, type Field } from '../document/tree.ts';
import { keyOf, type Reading } from './compose-reader.ts';
import { mergeService } from './merge.ts';

/** Longest chain. Each link of a longer chain would be merged repeatedly. */
const longest = 20;

/** All services with their bases merged in. Bases outside of the document and circles are reported. */
export function resolveExtends(services: Field, reading: Reading): Map<string, Field> {
  const byName = new Map(entriesOf(services));
  const resolved = new Map<string, Field>();

  const resolve = (name: string, chain: string[]): Field => {
    const service = byName.get(name)!;
    const known = resolved.get(name);
    if (known) return known;
    const extended = extend(service, name, chain);
    resolved.set(name, extended);
    return extended;
  };

  const extend = (service: Field, name: string, chain: string[]): Field => {
    const extension = childOf(service, 'extends');
    if (!extension) return service;
    const file = childOf(extension, 'file');
    if (file) {
      const message = 'the file of "extends" is not part of the document';
      reading.error(keyOf(file), 'extends-file', message, 'copy the service that is extended into this document');
      return service;
    }
    const baseField = extension.tree.kind === 'scalar' ? extension : childOf(extension, 'service');
    const base = baseField && reading.text(baseField);
    if (!baseField || base === undefined || !byName.has(base)) {
      const guess = nearestName(base ?? '', [...byName.keys()]);
      const hint = guess ? `did you mean "${guess}"?` : `the services are ${listOf([...byName.keys()])}`;
      reading.error(
        baseField ?? extension,
        'unknown-service',
        `the document has no service "${base ?? ''}" to extend`,
        hint,
      );
      return service;
    }
    if (base === name || chain.includes(base) || chain.length >= longest) {
      const circle = [...chain, name, base].slice(0, longest).join(' → ');
      reading.error(
        baseField,
        'extends-cycle',
        `services extend each other in a cycle: ${circle}`,
        'remove one of them',
      );
      return service;
    }
    const tree = mergeService(resolve(base, [...chain, name]).tree, service.tree);
    return { ...service, tree };
  };

  for (const name of byName.keys()) resolve(name, []);
  return resolved;
}
