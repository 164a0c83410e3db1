/** Options that `backup` and `restore` share: the place, and the passphrase that opens it. */
import { readFile } from 'node:fs/promises';
import { type BackupPlace, readBackupPlace } from '../../backup/backup-place.ts';
import { askSecret } from '../ask-secret.ts';
import type { Streams } from '../terminal.ts';
import type { GivenOptions } from './admin-command.ts';

/** An attacker can try passphrases on a copy of the backup for years. */
const minCharacters = 12;

export const passphraseOption = { 'passphrase-file': 'FILE' } as const;

export const missingPassphrase = `The passphrase is read from the terminal, or from the first line of --passphrase-file. It decrypts everything in the backup,
including the keys. Without it, the backup cannot be opened: keep it outside of this machine. The keys of an S3 store are
read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
`;

/** Returns an error with a message if a value is missing or wrong. */
export async function readPlaceOptions(
  option: 'to' | 'from',
  options: GivenOptions,
  streams: Streams,
): Promise<{ place: BackupPlace; passphrase: string } | Error> {
  const text = options[option];
  if (typeof text !== 'string')
    return new Error(`Name the place: --${option} FOLDER, or --${option} s3:https://host/bucket/path`);
  const place = attempt(() => readBackupPlace(text));
  if (place instanceof Error) return new Error(`--${option} ${place.message}`);
  const passphrase = await passphraseFrom(options['passphrase-file'], streams).catch((error: Error) => error);
  if (passphrase instanceof Error) return passphrase;
  return { place, passphrase };
}

async function passphraseFrom(file: string | boolean | undefined, streams: Streams): Promise<string> {
  const given =
    typeof file === 'string'
      ? (await readFile(file, 'utf8')).split('\n')[0]!.trim()
      : await askSecret('Passphrase of the backups', streams, AbortSignal.timeout(askingMs));
  if (given === undefined || given.length < minCharacters)
    throw new Error(`The passphrase needs ${minCharacters} characters: it is the only protection of a backup.`);
  return given;
}

const askingMs = 10 * 60_000;

function attempt<T>(act: () => T): T | Error {
  try {
    return act();
  } catch (error) {
    return error as Error;
  }
}
