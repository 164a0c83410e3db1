/** Applications of the tests on a cluster: one pod, in which a shell runs what it is told and answers at port 8080. */

/** `script`: in one or more lines. `volumes`: each as a configuration has it. */
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
