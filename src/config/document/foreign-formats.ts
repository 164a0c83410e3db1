/** Recognizes whole texts of other formats by their lines. They need not be YAML. Pure. */
import type { Explanation } from '../diagnostics/diagnostics.ts';

const lineOf = (pattern: string) => new RegExp(`^${pattern}`, 'm');
const from = lineOf('FROM[ \\t]+(?:--platform=\\S{1,100}[ \\t]+)?[^\\s:][^\\s]*(?:[ \\t]+AS[ \\t]+\\S+)?[ \\t]*\\r?$');
const instruction = lineOf('(?:RUN|COPY|ADD|WORKDIR|CMD|ENTRYPOINT|EXPOSE|ENV|ARG|USER)[ \\t]+\\S');

/** A Dockerfile, or manifests of Kubernetes in several YAML documents, with the place of the first matching line. */
export function foreignForm(text: string): Explanation | undefined {
  const base = from.exec(text);
  // The content of a file in a configuration is indented, so it does not match.
  if (base && instruction.test(text) && !/^(?:application|services):/m.test(text)) {
    return {
      offset: base.index,
      message: 'this is a Dockerfile, which builds an image',
      hint: 'send the folder that contains it: tar cz . | curl --data-binary @- <server>/startUserDeployment',
    };
  }
  const version = /^apiVersion:[ \t]*\S/m.exec(text);
  if (version && /^kind:[ \t]*\S/m.test(text) && !/^(?:application|services):/m.test(text)) {
    return { offset: version.index, message: kubernetesMessage, hint: kubernetesHint };
  }
  return undefined;
}

export const kubernetesMessage = 'this is a Kubernetes manifest';
export const kubernetesHint = 'a Deployment is a pod here: "name", "image", "servicePorts" and "vars"';
