/** Notifications between the processes on one database. PostgreSQL delivers them. SQLite has only one process. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { type Channel, channels } from './dialect/postgres-notifications.ts';

/** PostgreSQL's limit is 8,000 bytes, including the name of the process. */
export const maxNotificationLength = 7_900;

/** Heard by all processes, this one too, when the transaction is committed. */
export async function notifyAll(db: Database, channel: Channel, text = ''): Promise<void> {
  if (isPostgres(db)) await sql`select ${notify(channel, text)}`.execute(db);
}

/** Notifies like `notifyAll`, but within the statement that writes: in PostgreSQL each statement is a round trip. */
export function notification(channel: Channel, text = '') {
  return notify(channel, text).as('notified');
}

function notify(channel: Channel, text: string) {
  const said = sql`current_setting('application_name') || ' ' || ${text}::text`;
  return sql`pg_notify(${sql.lit(channels[channel])}, ${said})`;
}

export type NotificationListener = {
  /** Another process made a deployment due. Without an ID, some may have been. */
  due(deploymentId?: string): void;
  /** Any process has written an event of the deployment. */
  events(deploymentId: string): void;
  /** Any process has changed routes, or notifications may have been missed. */
  routes(): void;
  /** Any process's edge has reported which routes it serves. */
  edges(): void;
  /** Called with the counts of another process. */
  counts(text: string): void;
  /** A process that holds leases or duties has died. Repeated as long as it holds them. */
  onProcessEnd(processId: string): void;
};
