/** Tools that change everything of an application, and what keeps strangers out of them. Pure. */

import type { PodSpec } from '../spec/spec.ts';
import { shortNameOf } from '../values/image-names.ts';

type Tool = {
  name: string;
  /** The variables that hold its password; without any, it has none of its own. */
  passwords: string[];
  /** Whether a password that everybody knows is its own without these. */
  hasDefault: boolean;
};

const tool = (name: string, passwords: string[] = [], hasDefault = false): Tool => ({ name, passwords, hasDefault });

const tools: Record<string, Tool> = {
  adminer: tool('Adminer'),
  phpmyadmin: tool('phpMyAdmin'),
  'mongo-express': tool('mongo-express', ['ME_CONFIG_BASICAUTH_PASSWORD'], true),
  'redis-commander': tool('Redis Commander', ['HTTP_PASSWORD'], true),
  redisinsight: tool('Redis Insight'),
  'kafka-ui': tool('Kafka UI'),
  dozzle: tool('Dozzle'),
  cadvisor: tool('cAdvisor'),
  minio: tool('MinIO', ['MINIO_ROOT_PASSWORD', 'MINIO_SECRET_KEY'], true),
  grafana: tool('Grafana', ['GF_SECURITY_ADMIN_PASSWORD'], true),
  pgadmin4: tool('pgAdmin', ['PGADMIN_DEFAULT_PASSWORD']),
  keycloak: tool('Keycloak', ['KEYCLOAK_ADMIN_PASSWORD', 'KC_BOOTSTRAP_ADMIN_PASSWORD']),
  rabbitmq: tool('RabbitMQ', ['RABBITMQ_DEFAULT_PASS']),
};

/** Passwords that every scanner tries first. */
const known =
  /^(?:admin|administrator|root|user|pass(?:word|wd)?|secret|change-?_?me|example|test|guest|default|demo|minio(?:admin|123)?|grafana|keycloak|postgres|mysql|qwerty|123\d*|(?:admin|pass(?:word)?|root|test)[@_-]?(?:1|12|123|1234|12345))!?$/i;

/** Why a tool that everyone can reach is in danger; undefined for a pod that is none, or has a password of its own. */
export function openTool({ image, vars }: PodSpec): OpenTool | undefined {
  const repository = shortNameOf(image);
  const found = Object.hasOwn(tools, repository) ? tools[repository] : undefined;
  if (!found) return undefined;
  const { name, passwords, hasDefault } = found;
  const [first] = passwords;
  if (first === undefined) return { name, because: 'no-password' };
  const variable = passwords.find((password) => Object.hasOwn(vars, password));
  if (variable === undefined) return hasDefault ? { name, because: 'default-password', variable: first } : undefined;
  return known.test(vars[variable]!) ? { name, because: 'known-password', variable } : undefined;
}

export type OpenTool =
  /** It lets in whoever knows the password of the data behind it, or everybody. */
  | { name: string; because: 'no-password' }
  | { name: string; because: 'default-password' | 'known-password'; variable: string };
