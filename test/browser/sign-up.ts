/** The forms of an account, filled in by a visitor. */
import type { Visitor } from './browser.ts';

export const password = 'a long enough password';

export async function signUp({ page }: Visitor, email: string) {
  await page.waitForSelector('form');
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
}

export async function signIn({ page }: Visitor, email: string, secret = password) {
  await page.waitForSelector('form');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
