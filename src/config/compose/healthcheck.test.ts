import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readWeb } from '../../../test/support/compose-reading.ts';
import type { CommandCheck, HttpCheck } from '../spec/spec.ts';

describe('checks of health', () => {
  const requested: [string, string][] = [
    ['["CMD", "curl", "-f", "http://localhost:3000/healthz"]', '/healthz 3000'],
    ['["CMD-SHELL", "curl -f http://localhost/ || exit 1"]', '/ 80'],
    ['["CMD-SHELL", "curl --silent --fail localhost:9200/_cluster/health || exit 1"]', '/_cluster/health 9200'],
    ['"wget --no-verbose --tries=1 --spider http://127.0.0.1:8080/health?x=1 || exit 1"', '/health?x=1 8080'],
    ['["CMD", "wget", "-q", "-O", "/dev/null", "http://web:80/up"]', '/up 80'],
    ['["CMD", "sh", "-c", "curl -fsS http://[::1]:81/ > /dev/null"]', '/ 81'],
  ];
  for (const [line, expected] of requested) {
    test(`${line} is read as ${expected}`, () => {
      const { healthCheck } = readWeb(
        `healthcheck: { test: ${line}, interval: 1m30s, timeout: 500ms, retries: 7 }`,
      ).web;
      const { path, port, periodSeconds, timeoutSeconds, failureThreshold } = healthCheck as HttpCheck;
      assert.equal(`${path} ${port}`, expected);
      assert.deepEqual([periodSeconds, timeoutSeconds], [90, 1]);
      assert.equal(failureThreshold, 7);
    });
  }
  test("the start period stays what it is, and what is left out is Docker's default", () => {
    const { healthCheck } = readWeb('healthcheck: { test: curl -f http://localhost/, start_period: 1m10s }').web;
    const { path: _, port: __, ...times } = healthCheck as HttpCheck;
    assert.deepEqual(times, {
      initialDelaySeconds: 0,
      periodSeconds: 30,
      timeoutSeconds: 30,
      failureThreshold: 3,
      startPeriodSeconds: 70,
    });
  });

  const shell = (script: string) => ['/bin/sh', '-c', script];
  const run: [string, string[]][] = [
    ['["CMD", "pg_isready", "-U", "app"]', ['pg_isready', '-U', 'app']],
    ['"pg_isready -U app || exit 1"', shell('pg_isready -U app || exit 1')],
    ['["CMD-SHELL", "pg_isready -U $$POSTGRES_USER"]', shell('pg_isready -U $POSTGRES_USER')],
    ['["CMD-SHELL", "curl http://localhost:3000/ || exit 1"]', shell('curl http://localhost:3000/ || exit 1')],
    ['["CMD", "curl", "-f", "https://localhost/"]', ['curl', '-f', 'https://localhost/']],
    ['["CMD", "curl", "-f", "http://other-host/"]', ['curl', '-f', 'http://other-host/']],
    ['["CMD-SHELL", "curl -f http://localhost/ | grep ok"]', shell('curl -f http://localhost/ | grep ok')],
    ['["CMD-SHELL", "curl -f http://localhost/ && true"]', shell('curl -f http://localhost/ && true')],
  ];
  for (const [line, expected] of run) {
    test(`${line} is run in the container`, () => {
      const { web, codes } = readWeb(`healthcheck: { test: ${line}, interval: 10s, timeout: 2s, retries: 4 }`);
      assert.deepEqual(web.healthCheck, {
        command: expected,
        initialDelaySeconds: 0,
        periodSeconds: 10,
        timeoutSeconds: 2,
        failureThreshold: 4,
      });
      assert.deepEqual(codes, []);
    });
  }
  test('a command runs at least every minute, for at most a minute', () => {
    const { healthCheck } = readWeb('healthcheck: { test: "true", interval: 1h, timeout: 5m, start_period: 2h }').web;
    const { periodSeconds, timeoutSeconds, startPeriodSeconds } = healthCheck as CommandCheck;
    assert.deepEqual([periodSeconds, timeoutSeconds, startPeriodSeconds], [60, 60, 3600]);
  });
  for (const line of ['test: ["NONE"]', 'disable: true', 'test: ["CMD", "pg_isready"], disable: "yes"']) {
    test(`{ ${line} } checks the port alone, without a message`, () => {
      const { web, codes } = readWeb(`healthcheck: { ${line} }`);
      assert.deepEqual(web.healthCheck, { disabled: true });
      assert.deepEqual(codes, []);
    });
  }
  const refused: [string, string][] = [
    ['["pg_isready", "-U", "app"]', 'error healthcheck 5: "pg_isready" is not a valid kind of test'],
    ['["CMD"]', 'error healthcheck 5: the test names no program'],
    ['["CMD-SHELL", ""]', 'error healthcheck 5: the test names no program'],
    [`"${'x'.repeat(16 * 1024 + 1)}"`, 'error healthcheck 5: the test is longer than 16 KiB'],
  ];
  for (const [line, expected] of refused) {
    test(`${line.slice(0, 40)} is refused in its line`, () => {
      assert.deepEqual(readWeb(`healthcheck:\n  test: ${line}`).said, [expected]);
    });
  }
  test('a check of an image stays what it is when only its times are given', () => {
    const { web, codes } = readWeb('healthcheck: { interval: 5s }');
    assert.deepEqual([web.healthCheck, codes], [undefined, []]);
  });
  test('a start period without a test is kept, and applies to the default check', () => {
    const { web, codes } = readWeb('healthcheck: { start_period: 2m }');
    assert.deepEqual([web.healthCheck, codes], [{ startPeriodSeconds: 120 }, []]);
  });
});
