/** The contract of the store, for every database. */
import { describe } from 'node:test';
import type { Kysely } from 'kysely';
import type { Tables } from '../../../src/store/rows.ts';
import { activeContract } from './active.ts';
import { certificatesContract } from './certificates.ts';
import { deploymentsContract } from './deployments.ts';
import { domainsContract } from './domains.ts';
import { eventsContract } from './events.ts';
import { leasesContract } from './leases.ts';
import { namesContract } from './names.ts';
import { quarantineContract } from './quarantine.ts';
import { routesContract } from './routes.ts';
import { schemaContract } from './schema.ts';
import { sealedContract } from './sealed.ts';
import { sleepContract } from './sleep.ts';
import { storedMetricsContract } from './stored-metrics.ts';
import { writersContract } from './writers.ts';

/** A new one, migrated and empty. */
export type OpenStore = () => Promise<Kysely<Tables>>;

/** `isShared`: several processes may live on it. */
export function storeContract(name: string, open: OpenStore, { isShared }: { isShared: boolean }): void {
  describe(`deployments in ${name}`, () => deploymentsContract(open));
  describe(`active deployments in ${name}`, () => activeContract(open));
  describe(`metrics that are kept in ${name}`, () => storedMetricsContract(open));
  describe(`names in ${name}`, () => namesContract(open));
  describe(`leases in ${name}`, () => leasesContract(open, { isShared }));
  describe(`sleep in ${name}`, () => sleepContract(open));
  describe(`the quarantine in ${name}`, () => quarantineContract(open));
  describe(`routes in ${name}`, () => routesContract(open));
  describe(`events in ${name}`, () => eventsContract(open));
  describe(`certificates in ${name}`, () => certificatesContract(open));
  describe(`custom domains in ${name}`, () => domainsContract(open));
  describe(`the schema of ${name}`, () => schemaContract(open));
  describe(`writers at once in ${name}`, () => writersContract(open));
  describe(`what is sealed in ${name}`, () => sealedContract(open));
}
