/**
 * Decides which secrets may be generated. A random value works only if a service of the document uses it as its own
 * password. A key of another service (OpenAI, Google Maps, an external database) cannot be generated. Pure.
 */

import { databaseOf, variablesOf } from '../software/software.ts';
import type { AppSpec } from '../spec/spec.ts';
import { shortNameOf } from '../values/image-names.ts';
import { isSecretName, wordsOf } from './secret-names.ts';

/** A use of a variable in the document. */
export type SecretUse = {
  by: Software;
  /** The variable of the pod whose value it is, or is a part of; undefined for its command. */
  variable?: string;
};

/** Facts about a pod's secrets that its name and image reveal. Computed once for all uses. */
export type Software = {
  pod: string;
  /** For a database, or a store with an access key: the variables that its image defines. */
  own: RegExp | undefined;
  /** Possible names, in upper case and without punctuation. */
  names: string[];
};

/** Longer than any reference. */
const longestImage = 500;

export function softwareOf(pod: string, written: string): Software {
  const image = written.slice(0, longestImage);
  const names = new Set([pod, shortNameOf(image), ...image.split('/')].map((name) => lettersOf(name.slice(0, 200))));
  return { pod, own: ownVariables(image), names: [...names] };
}

function ownVariables(image: string): RegExp | undefined {
  const kind = databaseOf(image);
  if (kind) return variablesOf(kind);
  const name = shortNameOf(image);
  return Object.hasOwn(keyed, name) ? keyed[name] : undefined;
}

function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Returns the uses of each variable of an application, by name. */
export function secretUsesOf({ pods }: AppSpec): Map<string, SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  for (const { name: pod, image, vars, command = [], entrypoint = [], files } of pods) {
    const by = softwareOf(pod, image);
    const texts: [string | undefined, string][] = [
      ...Object.entries(vars),
      ...[...command, ...entrypoint].map((word): [undefined, string] => [undefined, word]),
      ...files.map(({ content }): [undefined, string] => [undefined, content]),
    ];
    for (const [variable, text] of texts) {
      for (const [, name] of text.matchAll(/\$\{([A-Za-z_]\w{0,199})/g)) {
        const use = { by, ...(variable !== undefined && { variable }) };
        const known = uses.get(name!);
        if (known) known.push(use);
        else uses.set(name!, [use]);
      }
    }
  }
  return uses;
}

/** Decides which variables without a value can get a random one. Each name is checked once. */
export function openGenerated(usesOf: (name: string) => readonly SecretUse[]): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    let isPossible = known.get(name);
    if (isPossible === undefined) {
      isPossible = canBeMadeUp(name, usesOf(name));
      known.set(name, isPossible);
    }
    return isPossible;
  };
}

function canBeMadeUp(name: string, uses: readonly SecretUse[]): boolean {
  if (!isSecretName(name)) return false;
  return uses.some((use) => isDefinedBy(use)) || isOfApplication(name) || uses.some(({ by }) => isNamedAfter(name, by));
}

/**
 * Returns whether the pod uses the value as its own password: a database in its command and in the variables that its
 * image defines, other software in variables with its own name. Other variables of a database are not its own.
 */
function isDefinedBy({ by, variable }: SecretUse): boolean {
  if (by.own) return variable === undefined || (by.own.test(variable) && !isOfVendor(variable));
  if (variable === undefined) return false;
  return isNamedAfter(variable, by) || (stores.test(variable) && storeNames.test(by.pod));
}

const keyed: Record<string, RegExp> = {
  typesense: /^TYPESENSE_/,
  meilisearch: /^MEILI_/,
  qdrant: /^QDRANT_/,
  weaviate: /^(?:WEAVIATE|AUTHENTICATION)_/,
  chroma: /^CHROMA_/,
  influxdb: /^(?:DOCKER_)?INFLUXDB_/,
  couchdb: /^COUCHDB_/,
  neo4j: /^NEO4J_/,
  minio: /^MINIO_/,
  litellm: /^(?:LITELLM|UI)_/,
};

/** Matches a custom database image, such as `db` with `POSTGRES_PASSWORD`. */
const stores = /^(?:POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?(?:_INITDB)?|REDIS|RABBITMQ|SA|MSSQL)_/;
const storeNames =
  /(?:^|[-_])(?:db|database|postgres(?:ql)?|pg|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|mssql)(?:[-_\d]|$)/;

/** `AUTHENTIK_SECRET_KEY` of an image of Authentik: named after the software that reads it. */
function isNamedAfter(variable: string, { names }: Software): boolean {
  const [first = '', ...rest] = wordsOf(variable);
  if (first.length < 3 || neutral.has(first) || isOfAnother(variable)) return false;
  // `WORDPRESS_DB_PASSWORD` is the password that WordPress sends to a database.
  if (rest.some((word) => databases.has(word))) return false;
  return names.some((name) => name.startsWith(first));
}

/** A secret that an application makes for itself: of sessions, of tokens that it signs, of its first account. */
function isOfApplication(name: string): boolean {
  if (isOfAnother(name)) return false;
  const words = wordsOf(name);
  if (words.some((word) => signing.has(word))) return true;
  if (isBareToken.test(words.join('_'))) return false;
  return words.every((word) => neutral.has(word) || isSecretName(word));
}

/** Returns whether the name shows that a third party issued the key. */
function isOfAnother(name: string): boolean {
  return given.test(name) || isOfVendor(name);
}

function isOfVendor(name: string): boolean {
  return wordsOf(name).some((word) => vendors.has(word));
}

const given = /(?:^|_)(?:API_?KEY|CLIENT_SECRET|ACCESS_TOKEN|BOT_TOKEN|AUTH_TOKEN|LICENSE_KEY|ACCESS_KEY(?:_ID)?)S?$/i;
const isBareToken = /^(?:(?:APP|API|AUTH|BOT|USER|ACCESS|REFRESH)_)?TOKENS?$/;

const setOf = (words: string) => new Set(words.split(' '));

/** Purposes of secrets that no other service needs. */
const signing = setOf('SESSION COOKIE COOKIES CSRF XSRF JWT JWE JWS ENCRYPTION SIGNING SALT PEPPER HASH NEXTAUTH');

/** Words that do not show the owner of the secret. */
const neutral = setOf(
  'APP APPLICATION API AUTH BETTER NEXT DJANGO FLASK RAILS LARAVEL SYMFONY PHX NODE EXPRESS BASE KEY SECRET SECRETS ' +
    'INTERNAL SHARED MASTER ROOT ADMIN ADMINISTRATOR SUPERUSER SUPER DEFAULT INITIAL INIT SETUP FIRST USER SITE WEB ' +
    'WEBUI SERVER SERVICE BACKEND FRONTEND WORKER PRIVATE DATA BASIC HTTP CRON METRICS HEALTH REMEMBER OTP TOTP SIGN ' +
    'SIGNATURE CRYPTO ENCRYPT ACCESS REFRESH',
);

const databases = setOf(
  'DB DATABASE POSTGRES POSTGRESQL PG MYSQL MARIADB MONGO MONGODB MSSQL SQL REDIS VALKEY RABBITMQ AMQP KAFKA CACHE ' +
    'BROKER ELASTIC ELASTICSEARCH OPENSEARCH CLICKHOUSE MINIO',
);

/** Vendors whose keys applications need most often. */
const vendors = setOf(
  'OPENAI ANTHROPIC CLAUDE GEMINI GOOGLE GCP GOOGLEMAPS MAPS AWS AMAZON AZURE S3 R2 CLOUDFLARE CF CLOUDINARY STRIPE ' +
    'PAYPAL RAZORPAY PAYSTACK PADDLE LEMONSQUEEZY BRAINTREE SQUARE PLAID TWILIO SENDGRID MAILGUN MAILCHIMP POSTMARK ' +
    'RESEND BREVO MAILJET SES SMTP IMAP MAIL MAILER EMAIL GMAIL GITHUB GITLAB BITBUCKET SLACK DISCORD TELEGRAM ' +
    'WHATSAPP TWITTER FACEBOOK META INSTAGRAM LINKEDIN SPOTIFY SOUNDCLOUD YOUTUBE TWITCH TIKTOK REDDIT NOTION ' +
    'AIRTABLE LINEAR JIRA ATLASSIAN ZOOM OKTA AUTH0 CLERK FIREBASE FCM APNS ALGOLIA PINECONE MAPBOX OPENWEATHER ' +
    'OPENWEATHERMAP WEATHER SENTRY DATADOG DD NEWRELIC AMPLITUDE MIXPANEL SEGMENT HUGGINGFACE HF COHERE MISTRAL ' +
    'GROQ DEEPSEEK OPENROUTER REPLICATE ELEVENLABS DEEPGRAM ASSEMBLYAI TAVILY SERPER SERPAPI BRAVE BING PERPLEXITY ' +
    'LANGSMITH LANGCHAIN NGROK TAILSCALE VERCEL NETLIFY HEROKU DIGITALOCEAN HETZNER LINODE RECAPTCHA HCAPTCHA ' +
    'TURNSTILE CAPTCHA INFURA ALCHEMY ETHERSCAN COINBASE BINANCE TMDB OMDB RAPIDAPI OAUTH OIDC SSO LDAP SAML SHOPIFY ' +
    'HUBSPOT SALESFORCE INTERCOM ZENDESK PUSHER ABLY NPM ATLAS PLEX WIREGUARD VPN VAPID',
);
