/** Messages about variables without a value, because the service has neither a shell nor an `.env` file. Pure. */
import { listOf } from '../diagnostics/diagnostics.ts';
import { ownAddressFor } from '../variables/own-address.ts';

export type Message = { message: string; hint: string };

export function whereToSet(names: readonly string[]): string {
  const vars = names
    .slice(0, 3)
    .map((name) => `${name}: …`)
    .join(', ');
  return `write x-berth: { vars: { ${vars}${names.length > 3 ? ', …' : ''} } } at the top of the document`;
}

/** How the document writes a variable without a value: as `$name`, or as a bare name in `environment`. A bare name is not set. */
export type UnsetForm = 'braces' | 'bare' | 'absent';

/**
 * Returns whether a `$name` without a value is most likely a literal dollar sign. Names of variables are usually in
 * upper case.
 */
export function isDollarSign(name: string, isBare: boolean): boolean {
  return isBare && !/^[A-Z_][A-Z0-9_]*$/.test(name);
}

/** @param forms Of each name. */
export function unsetMessage(names: readonly string[], forms: readonly string[]): Message {
  const inForm = (...wanted: UnsetForm[]) => names.filter((_, at) => wanted.includes(forms[at] as UnsetForm));
  const bare = inForm('bare');
  const dollars = bare.filter((name) => isDollarSign(name, true));
  const meant = names.filter((name) => !dollars.includes(name));
  const empty = names.filter((name) => !inForm('absent').includes(name));
  const messages = [
    ...(empty.length > 0 ? [`${subject(empty)} no value and become${empty.length === 1 ? 's' : ''} empty`] : []),
    ...(empty.length < names.length ? [absent(inForm('absent'))] : []),
  ];
  const hints = [
    ...(dollars.length > 0 ? [`write ${asDollars(dollars)} for a dollar sign itself`] : []),
    ...(meant.length > 0 ? [valueHint(meant)] : []),
    ...(dollars.length === 0 && bare.length > 0 ? [`${asDollars(bare)} for a dollar sign itself`] : []),
  ];
  return { message: messages.join('; '), hint: hints.join('; ') };
}

function asDollars(names: readonly string[]): string {
  return `${names
    .slice(0, 3)
    .map((name) => `$$${name}`)
    .join(', ')}${names.length > 3 ? ', …' : ''}`;
}

function absent(names: readonly string[]): string {
  return `${subject(names)} no value and ${names.length === 1 ? 'is' : 'are'} not set`;
}

function valueHint(names: readonly string[]): string {
  const own = names.flatMap((name) => {
    const meant = ownAddressFor(name);
    return meant ? [`${meant} as ${name}`] : [];
  });
  const instead = `${whereToSet(names)}, or \${${names[0]}:-default}`;
  return own.length > 0 ? `${instead}; the application's own address is ${listOf(own)}` : instead;
}

export function generatedMessage(names: readonly string[]): Message {
  const isOne = names.length === 1;
  const message = `${subject(names)} no value and get${isOne ? 's a random one, which stays' : ' random ones, which stay'}`;
  return { message, hint: `to choose ${isOne ? 'it' : 'them'}: ${whereToSet(names)}` };
}

export function missingKeyMessage(names: readonly string[], forms: readonly string[]): Message {
  const isOne = names.length === 1;
  const areAbsent = forms.every((form) => form === 'absent');
  const becomes = areAbsent ? (isOne ? 'is not set' : 'are not set') : isOne ? 'becomes empty' : 'become empty';
  const message = `${subject(names)} no value and ${becomes}: ${isOne ? 'it is' : 'they are'} given out by something outside of the document, and cannot be made up`;
  return { message, hint: `${whereToSet(names)}, with the real ${isOne ? 'value' : 'values'}` };
}

/** A database does not start without it, and the document says it nowhere. */
export function missingPasswordMessage(name: string, service: string): Message {
  const message = `${subject([name])} no value and becomes empty: service ${service} defines none`;
  const hint = `write ${name}: "\${${name}}" under environment: of service ${service}: both get the same random one`;
  return { message, hint };
}

function subject(names: readonly string[]): string {
  return names.length === 1 ? `the variable ${names[0]} has` : `the variables ${listOf(names)} have`;
}
