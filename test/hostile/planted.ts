/** The planted secrets, new in every run, and the application that receives them. */
import { randomBytes } from 'node:crypto';

/** Contains characters that each encoding writes differently, and is long enough not to occur by chance. */
export const secret = (name: string) => `planted ${name} "+/é${randomBytes(12).toString('base64url')}`;
/** Where nothing but letters and digits is taken. */
const plainSecret = (name: string) => `planted${name}${randomBytes(24).toString('hex')}`;

/** Secrets in the environment of the service. */
export const settings = {
  'the key of the mail server': plainSecret('Mail'),
  'the secret of GitHub': plainSecret('Github'),
  'the secret of the OpenID provider': plainSecret('Oidc'),
  'the token of the metrics': plainSecret('Metrics'),
};

/** Secrets in the configuration of the pods. */
export const given = {
  'the token in a variable': secret('variable'),
  'the password in an address': plainSecret('Address'),
  'a variable that is not called a secret': secret('word'),
  'a secret file': secret('file'),
  'a plain file': secret('source'),
  'the registry login': plainSecret('Login'),
};

/** No secret: it stands wherever one of them could. */
export const marker = `visible-${randomBytes(4).toString('hex')}`;

/** The program prints its secrets, plain and encoded. It listens on `port`; with another port than 3000 it is never ready. */
export function yamlOf(port: number): string {
  const quoted = JSON.stringify;
  return `application:
  name: ${marker}
  registryLogin: { registry: registry.example, username: me, personalAccessToken: ${given['the registry login']} }
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars:
        API_TOKEN: ${quoted(given['the token in a variable'])}
        DATABASE_URL: postgresql://shop:${given['the password in an address']}@db.example/shop
        WORD: ${quoted(given['a variable that is not called a secret'])}
        DB_PASSWORD: <% SECRET DB_PASSWORD %>
      secrets: [{ name: key, fileName: key.pem, data: ${quoted(given['a secret file'])} }]
      files:
        - path: /app/server.mjs
          content: |
            // ${given['a plain file']}
            import { readFileSync } from 'node:fs';
            import { createServer } from 'node:http';
            const { API_TOKEN, DATABASE_URL, DB_PASSWORD } = process.env;
            const values = [API_TOKEN, DATABASE_URL, DB_PASSWORD, readFileSync('/var/secrets/key/key.pem', 'utf8')];
            for (const text of values) {
              console.log('${marker}', text, JSON.stringify({ text }), encodeURIComponent(text));
              console.error(Buffer.from(text).toString('base64'));
            }
            createServer((request, response) => response.end(DB_PASSWORD)).listen(${port});
`;
}
