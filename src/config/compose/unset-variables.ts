/** What is said of variables without a value: there is no shell and no `.env` file that could have one. Pure. */
import { ownAddressMeant } from '../variables/own-address.ts';
import { listOf } from './extends.ts';

export type Words = { message: string; hint: string };

export function whereToSet(names: readonly string[]): string {
  const vars = names
    .slice(0, 3)
    .map((name) => `${name}: …`)
    .join(', ');
  return `write x-berth: { vars: { ${vars}${names.length > 3 ? ', …' : ''} } } at the top of the document`;
}

export function unsetWords(names: readonly string[]): Words {
  const message = `${subject(names)} no value and become${names.length === 1 ? 's' : ''} empty`;
  const own = names.flatMap((name) => {
    const meant = ownAddressMeant(name);
    return meant ? [`${meant} as ${name}`] : [];
  });
  const instead = `${whereToSet(names)}, or \${${names[0]}:-default}`;
  return { message, hint: own.length > 0 ? `${instead}; the application's own address is ${listOf(own)}` : instead };
}

export function generatedWords(names: readonly string[]): Words {
  const isOne = names.length === 1;
  const message = `${subject(names)} no value and get${isOne ? 's a random one, which stays' : ' random ones, which stay'}`;
  return { message, hint: `to choose ${isOne ? 'it' : 'them'}: ${whereToSet(names)}` };
}

export function missingKeyWords(names: readonly string[]): Words {
  const becomes = names.length === 1 ? 'becomes empty: it is' : 'become empty: they are';
  const message = `${subject(names)} no value and ${becomes} given out by something outside of the document, and cannot be made up`;
  return { message, hint: `${whereToSet(names)}, with the real ${names.length === 1 ? 'value' : 'values'}` };
}

/** A database does not start without it, and the document says it nowhere. */
export function lackedWords(name: string, service: string): Words {
  const message = `${subject([name])} no value and becomes empty: service ${service} defines none`;
  const hint = `write ${name}: "\${${name}}" under environment: of service ${service}: both get the same random one`;
  return { message, hint };
}

function subject(names: readonly string[]): string {
  return names.length === 1 ? `the variable ${names[0]} has` : `the variables ${listOf(names)} have`;
}
