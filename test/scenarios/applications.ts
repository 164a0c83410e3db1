/** Small applications for scenarios. */

/**
 * One web server that answers with `says`; `fields` are further lines of its pod. `lingersMs`: how long it still
 * answers after a signal to stop.
 */
export function webYaml(name: string, says: string, fields: string[] = [], lingersMs = 0): string {
  const atEnd = lingersMs === 0 ? 'process.exit()' : `setTimeout(() => process.exit(), ${lingersMs})`;
  return `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars: { SAYS: ${JSON.stringify(says)}, OWN_URL: <% URL %> }
${fields.map((line) => `      ${line}\n`).join('')}      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            const { SAYS, OWN_URL } = process.env;
            createServer((request, response) => response.end(\`\${SAYS} at \${OWN_URL}\${request.url}\`)).listen(3000);
            process.once('SIGTERM', () => ${atEnd});
`;
}

/** One web server on the tests' image of 2 MB that answers with `says`, also for `lingersMs` after a signal to stop. */
export function lingeringYaml(name: string, image: string, says: string, lingersMs: number): string {
  const script = 'echo "$SAYS" >/tmp/index.html; httpd -f -p 8080 -h /tmp & wait';
  return `application:
  name: ${name}
  pods:
    - name: web
      image: "${image}"
      path: /
      servicePorts: [8080]
      entrypoint: /bin/sh
      command: [-c, 'trap "sleep ${lingersMs / 1000}; exit" TERM; ${script}']
      vars: { SAYS: ${says} }
`;
}

/**
 * One pod on an image with a shell, which runs `script`, of one or more lines, and has to answer at port 8080. `volumes`: each as
 * a configuration has it.
 */
export function shellYaml(name: string, image: string, script: string, volumes: readonly string[]): string {
  return `application:
  name: ${name}
  pods:
    - name: web
      image: "${image}"
      path: /
      servicePorts: [8080]
      entrypoint: /bin/sh
      command:
        - -c
        - |
${script.replaceAll(/^/gm, '          ')}
      volumes: [${volumes.join(', ')}]
`;
}

/** Where the web servers below say what they are. */
export const saysPath = '/cgi-bin/identity';

/** Two web servers on the tests' image of 2 MB, without volumes; the public one says `says` at `saysPath`. */
export function tinyYaml(name: string, image: string, says: string): string {
  const pod = (podName: string) => `
    - { name: ${podName}, image: "${image}", servicePorts: [8080], vars: { IDENTITY: ${says} }`;
  return `application:
  name: ${name}
  pods:${pod('front')}, path: / }${pod('back')} }
`;
}

/**
 * Two web servers on the same image, the public one on a volume: /says returns its revision, /born a random id that the
 * volume got when it was empty.
 */
export function keepingYaml(name: string, image: string, says: string): string {
  const script = 'test -e born || cat /proc/sys/kernel/random/uuid >born; echo "$SAYS" >says; exec httpd -f -p 8080';
  return `application:
  name: ${name}
  pods:
    - name: store
      image: "${image}"
      path: /
      servicePorts: [8080]
      entrypoint: /bin/sh
      command: [-c, 'cd /data; ${script}']
      vars: { SAYS: ${says} }
      volumes: [{ name: data, size: 1Mi, mountPath: /data }]
    - { name: back, image: "${image}", servicePorts: [8080] }
`;
}
