/** Administration tools, and their protection from unauthorized users. Pure. */

import type { PodSpec } from '../spec/spec.ts';
import { shortNameOf } from '../values/image-names.ts';

type Tool = {
  name: string;
  /** The variables with the tool's password. Empty if it has no password of its own. */
  passwords: string[];
  /** The protection without these variables: a well-known password, none, or (undefined) another mechanism. */
  otherwise: 'default-password' | 'no-password' | undefined;
};

const tool = (name: string, passwords: string[] = [], otherwise?: Tool['otherwise']): Tool => ({
  name,
  passwords,
  otherwise,
});

const tools: Record<string, Tool> = {
  adminer: tool('Adminer'),
  phpmyadmin: tool('phpMyAdmin'),
  'mongo-express': tool('mongo-express', ['ME_CONFIG_BASICAUTH_PASSWORD'], 'default-password'),
  'redis-commander': tool('Redis Commander', ['HTTP_PASSWORD'], 'default-password'),
  redisinsight: tool('Redis Insight'),
  'kafka-ui': tool('Kafka UI'),
  dozzle: tool('Dozzle'),
  mailpit: tool('Mailpit', ['MP_UI_AUTH', 'MP_UI_AUTH_FILE'], 'no-password'),
  mailhog: tool('MailHog', ['MH_AUTH_FILE'], 'no-password'),
  mailcatcher: tool('MailCatcher'),
  maildev: tool('MailDev', ['MAILDEV_WEB_PASS'], 'no-password'),
  inbucket: tool('Inbucket'),
  smtp4dev: tool('smtp4dev'),
  greenmail: tool('GreenMail'),
  flower: tool('Flower', ['FLOWER_BASIC_AUTH'], 'no-password'),
  kafdrop: tool('Kafdrop'),
  cadvisor: tool('cAdvisor'),
  minio: tool('MinIO', ['MINIO_ROOT_PASSWORD', 'MINIO_SECRET_KEY'], 'default-password'),
  grafana: tool('Grafana', ['GF_SECURITY_ADMIN_PASSWORD'], 'default-password'),
  pgadmin4: tool('pgAdmin', ['PGADMIN_DEFAULT_PASSWORD']),
  keycloak: tool('Keycloak', ['KEYCLOAK_ADMIN_PASSWORD', 'KC_BOOTSTRAP_ADMIN_PASSWORD']),
  rabbitmq: tool('RabbitMQ', ['RABBITMQ_DEFAULT_PASS']),
};

/** Passwords that every scanner tries first. */
const known =
  /^(?:admin|administrator|root|user|pass(?:word|wd)?|secret|change-?_?me|example|test|guest|default|demo|minio(?:admin|123)?|grafana|keycloak|postgres|mysql|qwerty|123\d*|(?:admin|pass(?:word)?|root|test)[@_-]?(?:1|12|123|1234|12345))!?$/i;

/** Returns why a public tool is at risk. Undefined for other pods, and for tools with their own password. */
export function openTool({ image, vars }: PodSpec): OpenTool | undefined {
  const repository = shortNameOf(image);
  const found = Object.hasOwn(tools, repository) ? tools[repository] : undefined;
  if (!found) return undefined;
  const { name, passwords, otherwise } = found;
  const [first] = passwords;
  if (first === undefined) return { name, because: 'no-password' };
  const variable = passwords.find((password) => Object.hasOwn(vars, password));
  if (variable === undefined) {
    if (otherwise === 'no-password') return { name, because: otherwise };
    return otherwise && { name, because: otherwise, variable: first };
  }
  return known.test(vars[variable]!) ? { name, because: 'known-password', variable } : undefined;
}

export type OpenTool =
  /** Access requires only the password of the database, or none. */
  | { name: string; because: 'no-password' }
  | { name: string; because: 'default-password' | 'known-password'; variable: string };
