/** An attacker: a deployment whose pod makes the requested attempts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Berth, type Started, until } from '../scenarios/berth.ts';
import type { Attempt, Outcome } from './agent.ts';

export type Attacker = {
  started: Started;
  deploymentId: string;
  /** Makes all attempts at once, inside the pod. */
  attempt(attempts: Attempt[]): Promise<Outcome[]>;
};

/** The agent, and a second pod that sends its name to each client. */
export function attackerYaml(name: string): string {
  return `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/agent.ts
      files:
${['agent.ts', 'syscall.ts'].map(file).join('')}    - name: peer
      image: node:26-slim
      servicePorts: [4000]
      command: [node, -e, "require('net').createServer((s) => s.on('error', () => {}).end('peer of ${name}')).listen(4000)"]
`;
}

/** Deployed through the API, and live. */
export async function deployAttacker(berth: Berth, name: string): Promise<Attacker> {
  const started = await berth.start(attackerYaml(name));
  await berth.reach(started, 'running');
  return {
    started,
    deploymentId: (await berth.row(started)).id,
    async attempt(attempts) {
      const { status, text } = await until('the agent answers', async () => {
        const answer = await berth.visit(started.url, { method: 'POST', body: JSON.stringify(attempts) });
        return answer.status === 200 ? answer : undefined;
      });
      assert.equal(status, 200, text);
      return JSON.parse(text);
    },
  };
}

function file(name: string): string {
  const text = readFileSync(join(import.meta.dirname, name), 'utf8');
  return `        - path: /app/${name}\n          content: |\n${text.replaceAll(/^/gm, '            ')}\n`;
}
