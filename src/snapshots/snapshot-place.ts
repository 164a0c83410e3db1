/**
 * PURE. Each deployment has a place of its own below that of all: what is in one tells nothing of another's data, and is
 * checked, removed and damaged by itself.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { BackupPlace } from '../backup/backup-place.ts';

export function placeOf({ kind, location }: BackupPlace, deploymentId: string): BackupPlace {
  return { kind, location: kind === 'folder' ? join(location, deploymentId) : `${location}/${deploymentId}` };
}

/** `password`: of the place of all. */
export function passwordOf(password: string, deploymentId: string): string {
  return createHmac('sha256', password).update(deploymentId).digest('base64url');
}
