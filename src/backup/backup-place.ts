/** The backup location: a folder, or a bucket of an S3-compatible store. */
import { resolve } from 'node:path';

export type BackupPlace = {
  kind: 'folder' | 's3';
  /** restic's form, also used in messages. It contains no secret. */
  location: string;
};

/**
 * PURE. Throws an error for people. It also refuses passwords, because arguments of a command are visible to all users.
 */
export function readBackupPlace(text: string): BackupPlace {
  if (text.startsWith('s3:')) return { kind: 's3', location: bucketFrom(text.slice('s3:'.length)) };
  if (text === '' || /^[a-z][a-z0-9+.-]*:/i.test(text))
    throw new Error('must be a folder, or s3:https://host/bucket/path');
  return { kind: 'folder', location: resolve(text) };
}

function bucketFrom(text: string): string {
  const url = URL.parse(text);
  const isAddress = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  if (!isAddress || url.search !== '' || url.hash !== '' || url.pathname.replaceAll('/', '') === '')
    throw new Error('must be s3:https://host/bucket, with a path in the bucket where you want one');
  if (url.username !== '' || url.password !== '')
    throw new Error(
      'must have no key: all users of this machine see the words of a command. Use AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  return `s3:${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
