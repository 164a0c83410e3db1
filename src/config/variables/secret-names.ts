/** Names of variables that hold secrets. Pure. */
import { isBrowserVariable } from '../software/software.ts';

const secretWords = /^(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PW|SECRET|TOKEN|KEY|APIKEY|SALT|PEPPER)S?$/;
const publicWords = /^(?:PUBLIC|PUBLISHABLE|ANON|PUBKEY|ENABLE|ENABLED|DISABLE|REQUIRE|REQUIRED|ALLOW|USE)$/;

/** Returns whether a variable is named like a password, token or key. */
export function isSecretName(name: string): boolean {
  if (isBrowserVariable(name)) return false;
  const words = wordsOf(name);
  if (words.some((word) => publicWords.test(word))) return false;
  const meaningful = words.filter((word) => !/^(?:\d+|V\d+|BASE|VALUE)$/.test(word));
  return secretWords.test(meaningful.at(-1) ?? '');
}

/** Returns the words of a name in upper case. `dbRootPassword` and `DB_ROOT_PASSWORD` have the same words. */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split('_')
    .filter((word) => word !== '');
}
