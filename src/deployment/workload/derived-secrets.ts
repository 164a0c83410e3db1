/** PURE. Generated values: passwords and keys that a configuration requires without a value. */

/** Returns secret bytes, the same for the same name. Outside of tests, they come from the deployment's seed. */
export type Derive = (name: string) => Uint8Array;

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/**
 * Returns the value of a name in a deployment. It is the same in all pods, after every update and on every machine,
 * because it comes from the deployment's seed. It has only letters and digits, so that it is valid in any address.
 *
 * Passwords and tokens have 32 characters with upper case, lower case and digits, which SQL Server requires. Other
 * values (keys, salts) are 32 bytes as 64 hexadecimal digits, the format that programs check.
 */
export function generatedValue(name: string, derive: Derive): string {
  const bytes = derive(name);
  if (!/(?:PASS|PWD|TOKEN)/i.test(name)) return Buffer.from(bytes).toString('hex');
  const characters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]);
  return `${characters.slice(0, 29).join('')}Aa2`;
}
