/** Rules that no schema can say: about names that must differ, routes, images, references. Pure. */

import type { Code } from '../diagnostics/diagnostic-codes.ts';
import type { Diagnostic, Path } from '../diagnostics/diagnostics.ts';
import { openReport, type Report } from '../diagnostics/report.ts';
import type { Source } from '../document/source.ts';
import type { Origin } from '../native/normalise.ts';
import { addressBook } from '../spec/pod-addresses.ts';
import type { AppSpec } from '../spec/spec.ts';
import { directoryOf } from '../spec/uses.ts';
import { checkAdminTool } from './admin-tool-checks.ts';
import { checkAllowedHosts } from './allowed-host-checks.ts';
import { checkCommand, checkHealthCommand } from './command-checks.ts';
import { checkContainer } from './container-checks.ts';
import type { Context } from './context.ts';
import { checkPassword, readDataDirectory } from './database-checks.ts';
import { checkDependencies } from './dependency-checks.ts';
import { checkFiles, checkSharedNames, checkSharing } from './file-checks.ts';
import { checkHosts } from './host-checks.ts';
import { checkImage, checkLogin, checkTags } from './image-checks.ts';
import { checkJob } from './job-checks.ts';
import { checkLengths } from './length-checks.ts';
import { checkNames } from './name-checks.ts';
import { checkPlaceholders } from './placeholder-checks.ts';
import { checkReferences, readPodPorts } from './reference-checks.ts';
import { checkResources } from './resource-checks.ts';
import { checkIsPublic, checkRoute, checkRoutes } from './route-checks.ts';
import { checkHostOnly, checkScriptlets } from './scriptlet-checks.ts';
import { textsOf } from './text-checks.ts';
import { checkUnknownHosts } from './unknown-host-checks.ts';
import { checkUnsavedData } from './unsaved-data-checks.ts';

/** A service's own findings about a valid spec: an error at a field of a pod. */
export type Judge = (spec: AppSpec) => Finding[];
export type Finding = { pod: number; field: Path; code: Code; message: string; hint: string };

/**
 * Returns all violations of a spec that was not read from the native form. `source` provides the places of native
 * paths.
 */
export function checkSpec(spec: AppSpec, source: Source, judge?: Judge): Diagnostic[] {
  const report = openReport(source);
  const origin = nativeOrigin(spec);
  applyRules(spec, origin, source, report);
  applyJudge(spec, origin, report, judge);
  checkLengths(spec, origin, report);
  return report.diagnostics;
}

/** Reports all violations. Corrects values in the spec that a rule reads differently. */
export function applyRules(spec: AppSpec, origin: Origin, source: Source, report: Report): void {
  const context: Context = { spec, origin, source, report, book: addressBook(spec), directory: directoryOf(spec) };
  checkNames(context);
  checkRoutes(context);
  checkDependencies(context);
  checkLogin(context);
  checkSharedNames(context);
  checkTags(context);
  checkPlaceholders(context);
  spec.pods.forEach((pod, index) => {
    const own = { ...context, pod, index, path: origin.pod(index) };
    pod.image = checkImage(own);
    checkRoute(own);
    checkFiles(own);
    checkSharing(own);
    checkResources(own);
    checkContainer(own);
    checkCommand(own);
    checkHealthCommand(own);
    checkJob(own);
    readDataDirectory(own);
    checkUnsavedData(own);
    checkAdminTool(own);
    checkPassword(own);
    const texts = textsOf(own);
    readPodPorts(texts, own);
    checkScriptlets(texts, own);
    checkHostOnly(texts, own);
    checkReferences(texts, own);
    checkHosts(texts, own);
    checkUnknownHosts(texts, own);
    checkAllowedHosts(texts, own);
  });
  checkIsPublic(context);
}

/** Reports requests that exceed the service's capabilities. */
export function applyJudge(spec: AppSpec, origin: Origin, report: Report, judge: Judge = () => []): void {
  for (const { pod, field, code, message, hint } of judge(spec)) {
    const path = [...origin.pod(pod), ...field];
    if (!report.isBroken(path)) report.error(path, code, message, { hint });
  }
}

function nativeOrigin({ pods }: AppSpec): Origin {
  const pod = (index: number): Path => ['application', 'pods', index];
  return {
    pod,
    variable: (index, name) => [...pod(index), 'vars', name],
    file: (index, position) => [...pod(index), pods[index]?.files[position]?.isSecret ? 'secrets' : 'files', position],
  };
}
