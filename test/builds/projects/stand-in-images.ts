/**
 * Stand-ins for the official images that the written Dockerfiles are based on: a Debian with the same programs. Tests
 * cannot pull the official ones, because only npm's registry and Debian's packages are reachable.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** The certificates of this machine, which may reach npm's registry through a proxy. */
const trusting = `COPY certificates ${certificates}
ENV NODE_EXTRA_CA_CERTS=${certificates} SSL_CERT_FILE=${certificates} DENO_CERT=${certificates} NPM_CONFIG_CAFILE=${certificates}
`;
const debian = 'berth-test-stand-in:debian';
const node = 'node:24-slim';

const apt = (packages: string, more = 'true') =>
  `FROM debian:bookworm-slim\nRUN apt-get install -y -qq --no-install-recommends ${packages} && ${more}\n`;

/** Dockerfiles by the name that others use. Each may be based on earlier ones. */
const dockerfiles: Record<string, string> = {
  'debian:bookworm-slim': `FROM ${debian}\nRUN apt-get update -qq && apt-get install -y -qq ca-certificates\n${trusting}`,
  [node]: `FROM node:26-slim\n${trusting}`,
  'oven/bun:1-slim': `FROM ${node}\nRUN npm install -g bun@1.3.0\n`,
  'denoland/deno:2': `FROM ${node}\nRUN npm install -g deno@2.5.0\n`,
  'golang:1-bookworm': apt('golang-go gcc libc6-dev git'),
  'rust:1-bookworm': apt('cargo gcc libc6-dev'),
  'python:3.13-slim': apt(
    'python3 python3-pip python3-flask python3-django python3-fastapi uvicorn gunicorn',
    'ln -s python3 /usr/bin/python && rm -f /usr/lib/python3*/EXTERNALLY-MANAGED && sed -i "/^Requires-Dist: starlette/d" /usr/lib/python3/dist-packages/fastapi-*/METADATA',
  ),
  'php:8-apache': `${apt(
    'apache2 libapache2-mod-php php-mysql',
    'rm /var/www/html/index.html && ln -s /bin/true /usr/local/bin/docker-php-ext-install',
  )}RUN ln -sf /dev/stdout /var/log/apache2/access.log && ln -sf /dev/stderr /var/log/apache2/error.log
CMD ["apachectl", "-D", "FOREGROUND"]
`,
  'composer:2': apt('composer unzip'),
  'gradle:jdk17': apt('openjdk-17-jdk-headless gradle'),
  'eclipse-temurin:17-jre': apt('openjdk-17-jre-headless'),
};

export const standInImages = Object.keys(dockerfiles);

/** Takes minutes, and root's rights. */
export async function makeStandIns(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-stand-ins-'));
  try {
    const context = join(folder, 'context');
    await mkdir(context);
    await copyFile(process.env.NODE_EXTRA_CA_CERTS ?? certificates, join(context, 'certificates'));
    await run('debootstrap', ['--variant=minbase', 'bookworm', join(folder, 'root'), 'http://deb.debian.org/debian']);
    const archive = join(folder, 'root.tar');
    await run('tar', ['-C', join(folder, 'root'), '-cf', archive, '.']);
    await run('docker', ['import', archive, debian]);
    for (const [name, text] of Object.entries(dockerfiles)) {
      await writeFile(join(context, 'Dockerfile'), text);
      await run('docker', ['build', '--network', 'host', '--tag', name, context], { maxBuffer: 2 ** 26 });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function removeStandIns(): Promise<void> {
  for (const name of [...standInImages.toReversed(), debian]) await run('docker', ['rmi', name]).catch(() => {});
}
