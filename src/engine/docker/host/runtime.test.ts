import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFault } from '../../engine.ts';
import { faultOf } from '../faults.ts';
import { gvisorArguments, runtimeProblem } from './runtime.ts';

const path = '/usr/bin/runsc';
const problem = (...runtimeArgs: string[]) => runtimeProblem('runsc', { runc: {}, runsc: { path, runtimeArgs } });

test('pods may use the engine’s runtime without settings', () => {
  assert.equal(runtimeProblem('runc', {}), undefined);
});

test('a runtime that the engine does not know is a problem, with what to do about it', () => {
  assert.match(runtimeProblem('runsc', { runc: { path: 'runc' } }) ?? '', /does not know the runtime runsc.*npm start/);
});

test('gVisor with a network of its own is a problem: pods would not find each other', () => {
  assert.match(problem() ?? '', /"--network=host"/);
  assert.match(problem('--network=sandbox') ?? '', /"--network=host"/);
  assert.match(problem('--network=host', '--network', 'none') ?? '', /"--network=host"/);
  assert.match(runtimeProblem('runsc', { runsc: { path, runtimeArgs: null } }) ?? '', /"--network=host"/);
});

test('gVisor with the network of the container is not accepted in any spelling', () => {
  assert.equal(problem(...gvisorArguments), undefined);
  assert.equal(problem('-network=host'), undefined);
  assert.equal(problem('--debug', '--network', 'host'), undefined);
});

test('a runtime that the engine knows by a type is not looked into', () => {
  assert.equal(runtimeProblem('runsc', { runsc: {} }), undefined);
});

test('an engine that has lost the runtime since is at fault, and not the configuration of the pod', () => {
  for (const words of ['Unknown runtime specified runsc', 'unknown or invalid runtime name: runsc']) {
    const fault = faultOf(Object.assign(new Error(words), { statusCode: 400 }), 'web');
    assert.ok(fault instanceof EngineFault && fault.kind === 'unavailable');
    assert.equal(fault.message, 'the container engine no longer knows the runtime that pods run in.');
    assert.deepEqual(fault.pods, ['web']);
  }
});
