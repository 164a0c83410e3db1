/**
 * PURE. Each deployment has its own place below the common one. A place reveals nothing about others' data, and is
 * checked, removed and damaged independently.
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
