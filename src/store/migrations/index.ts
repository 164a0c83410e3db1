/**
 * All migrations in order. One that has been released is never changed; the next change is the next one.
 *
 * Each leaves a service of the release before at work, until its successor serves: what that one reads and writes stays.
 * One that only adds, such as a table, or a column that may be null or has a default, is applied by the first service
 * that starts, and the release before starts on it too. One after which that would go wrong begins a generation: its name
 * says which (`0043-generation-2-subject`), `generationChanges` says why, and an operator has to agree to it.
 * `test/contract/store/only-adds.ts` holds the others to what they promise.
 */
import type { Migration } from 'kysely';
import * as initial from './0001-initial.ts';
import * as commitments from './0002-commitments.ts';
import * as revisionImages from './0003-revision-images.ts';
import * as imageAccess from './0004-image-access.ts';
import * as pulledImages from './0005-pulled-images.ts';
import * as accounts from './0006-accounts.ts';
import * as abuse from './0007-abuse.ts';
import * as evictions from './0008-evictions.ts';
import * as leaseOutlines from './0009-lease-outlines.ts';
import * as seeds from './0010-seeds.ts';
import * as hashedSignIns from './0011-hashed-sign-ins.ts';
import * as activeNames from './0012-active-names.ts';
import * as events from './0013-events.ts';
import * as pods from './0014-pods.ts';
import * as sessionTokens from './0015-session-tokens.ts';
import * as counts from './0016-counts.ts';
import * as volumeSizes from './0017-volume-sizes.ts';
import * as pushedImages from './0018-pushed-images.ts';
import * as routes from './0019-routes.ts';
import * as severalProcesses from './0020-several-processes.ts';
import * as storeMoves from './0021-store-moves.ts';
import * as committedSum from './0022-committed-sum.ts';
import * as observedHash from './0024-observed-hash.ts';
import * as logins from './0025-logins.ts';
import * as certificates from './0026-certificates.ts';
import * as backups from './0027-backups.ts';
import * as domains from './0028-domains.ts';
import * as certificateAlarms from './0029-certificate-alarms.ts';
import * as revisionHistory from './0030-revision-history.ts';
import * as grace from './0031-grace.ts';
import * as keptMetrics from './0032-kept-metrics.ts';
import * as domainMails from './0033-domain-mails.ts';
import * as snapshots from './0034-snapshots.ts';
import * as stops from './0035-stops.ts';
import * as restoresBeside from './0036-restores-beside.ts';
import * as snapshotWishes from './0037-snapshot-wishes.ts';
import * as auditTimes from './0038-audit-times.ts';
import * as shareLinks from './0039-share-links.ts';
import * as restoresWithoutSafety from './0040-restores-without-safety.ts';
import * as clusters from './0041-clusters.ts';
import * as databaseDumps from './0042-database-dumps.ts';
import * as claimedCluster from './0043-generation-2-claimed-cluster.ts';
import * as notifications from './0044-notifications.ts';
import * as ownHosts from './0045-own-hosts.ts';
import * as noticesAge from './0046-notices-age.ts';
import * as snapshotTries from './0047-snapshot-tries.ts';
import * as quarantine from './0071-quarantine.ts';
import * as suspensions from './0095-suspensions.ts';

export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-commitments': commitments,
  '0003-revision-images': revisionImages,
  '0004-image-access': imageAccess,
  '0005-pulled-images': pulledImages,
  '0006-accounts': accounts,
  '0007-abuse': abuse,
  '0008-evictions': evictions,
  '0009-lease-outlines': leaseOutlines,
  '0010-seeds': seeds,
  '0011-hashed-sign-ins': hashedSignIns,
  '0012-active-names': activeNames,
  '0013-events': events,
  '0014-pods': pods,
  '0015-session-tokens': sessionTokens,
  '0016-counts': counts,
  '0017-volume-sizes': volumeSizes,
  '0018-pushed-images': pushedImages,
  '0019-routes': routes,
  '0020-several-processes': severalProcesses,
  '0021-store-moves': storeMoves,
  '0022-committed-sum': committedSum,
  '0024-observed-hash': observedHash,
  '0025-logins': logins,
  '0026-certificates': certificates,
  '0027-backups': backups,
  '0028-domains': domains,
  '0029-certificate-alarms': certificateAlarms,
  '0030-revision-history': revisionHistory,
  '0031-grace': grace,
  '0032-kept-metrics': keptMetrics,
  '0033-domain-mails': domainMails,
  '0034-snapshots': snapshots,
  '0035-stops': stops,
  '0036-restores-beside': restoresBeside,
  '0037-snapshot-wishes': snapshotWishes,
  '0038-audit-times': auditTimes,
  '0039-share-links': shareLinks,
  '0040-restores-without-safety': restoresWithoutSafety,
  '0041-clusters': clusters,
  '0042-database-dumps': databaseDumps,
  '0043-generation-2-claimed-cluster': claimedCluster,
  '0044-notifications': notifications,
  '0045-own-hosts': ownHosts,
  '0046-notices-age': noticesAge,
  '0047-snapshot-tries': snapshotTries,
  '0071-quarantine': quarantine,
  '0095-suspensions': suspensions,
};

/** What keeps the release before from a schema of each generation: the end of a sentence for operators. */
export const generationChanges: Record<number, string> = {
  2: 'releases before this one use no database that another one has changed',
};
