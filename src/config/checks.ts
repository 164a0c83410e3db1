/** Rules that no schema can say: about names that must differ, routes, images, references. Pure. */
import { addressBook } from './addresses.ts';
import { checkAdminTool } from './checks/admin-tools.ts';
import { checkAllowedHosts } from './checks/allowed-hosts.ts';
import { checkCommand, checkHealthCommand } from './checks/commands.ts';
import { checkContainer } from './checks/container.ts';
import type { Context } from './checks/context.ts';
import { checkPassword, readDataDirectory } from './checks/databases.ts';
import { checkDependencies } from './checks/dependencies.ts';
import { checkFiles, checkSharedNames, checkSharing } from './checks/files.ts';
import { checkHosts } from './checks/hosts.ts';
import { checkImage, checkLogin, checkTags } from './checks/images.ts';
import { checkJob } from './checks/jobs.ts';
import { checkLengths } from './checks/lengths.ts';
import { checkNames } from './checks/names.ts';
import { checkPlaceholders } from './checks/placeholders.ts';
import { checkReferences, readPodPorts } from './checks/references.ts';
import { checkResources } from './checks/resources.ts';
import { checkIsPublic, checkRoute, checkRoutes } from './checks/routes.ts';
import { checkHostOnly, checkScriptlets } from './checks/scriptlets.ts';
import { textsOf } from './checks/texts.ts';
import { checkUnsavedData } from './checks/unsaved-data.ts';
import type { Code } from './codes.ts';
import type { Diagnostic, Path } from './diagnostics.ts';
import type { Origin } from './normalise.ts';
import { openReport, type Report } from './report.ts';
import type { Source } from './source.ts';
import type { AppSpec } from './spec.ts';
import { directoryOf } from './uses.ts';

/** What a service finds wrong with a spec that is right by itself: an error at a field of a pod. */
export type Judge = (spec: AppSpec) => Finding[];
export type Finding = { pod: number; field: Path; code: Code; message: string; hint: string };

/** All violations of a spec that was not read from the native form; `source` gives the places of native paths. */
export function checkSpec(spec: AppSpec, source: Source, judge?: Judge): Diagnostic[] {
  const report = openReport(source);
  const origin = nativeOrigin(spec);
  applyRules(spec, origin, source, report);
  applyJudge(spec, origin, report, judge);
  checkLengths(spec, origin, report);
  return report.diagnostics;
}

/** Reports all violations. Writes into the spec what a rule reads in another way than it is written. */
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
    checkAllowedHosts(texts, own);
  });
  checkIsPublic(context);
}

/** Reports what the service that is asked cannot give. */
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
