/** The owner of each address that the edge sends requests to. */
import type { StoredRoutes } from '../store/routes.ts';

export type AddressOwners = {
  /** These deployments have these endpoints from now on; all others stay. */
  note(routes: readonly Pick<StoredRoutes, 'id' | 'endpoints'>[]): void;
  /** As `note`, and no other deployment has any. */
  noteOnly(routes: readonly Pick<StoredRoutes, 'id' | 'endpoints'>[]): void;
  /** The deployment that has the address. */
  ownerOf(address: string): string | undefined;
};

export function createAddressOwners(): AddressOwners {
  const owners = new Map<string, string>();
  const addresses = new Map<string, string[]>();

  function note(routes: Parameters<AddressOwners['note']>[0]): void {
    // All leave first: an address may pass from one of them to another.
    for (const { id } of routes) {
      for (const address of addresses.get(id) ?? []) if (owners.get(address) === id) owners.delete(address);
      addresses.delete(id);
    }
    for (const { id, endpoints } of routes) {
      if (endpoints.length === 0) continue;
      const own = [...new Set(endpoints.map(({ address }) => address))];
      addresses.set(id, own);
      for (const address of own) owners.set(address, id);
    }
  }

  return {
    note,
    noteOnly(routes) {
      owners.clear();
      addresses.clear();
      note(routes);
    },
    ownerOf: (address) => owners.get(address),
  };
}
