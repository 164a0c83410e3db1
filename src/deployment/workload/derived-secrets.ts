/** Generated values: passwords and keys that a configuration asks for and nobody has set. Pure. */

/** Bytes that nobody else can make, the same for the same name; from the deployment's seed outside tests. */
export type Derive = (name: string) => Uint8Array;

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/**
 * The value of a name in a deployment: the same in all its pods, after every update and on every machine, because
 * it comes from the deployment's seed. Letters and digits only, so that it can stand in any address.
 *
 * Passwords and tokens have 32 characters and all three kinds of them, which SQL Server insists on. Anything else
 * (keys, salts) is 32 bytes as 64 hexadecimal digits, which is what programs check that are particular about keys.
 */
export function generatedValue(name: string, derive: Derive): string {
  const bytes = derive(name);
  if (!/(?:PASS|PWD|TOKEN)/i.test(name)) return Buffer.from(bytes).toString('hex');
  const characters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]);
  return `${characters.slice(0, 29).join('')}Aa2`;
}
