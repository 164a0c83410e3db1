/** Texts of another format as a whole, told by their lines: they need not be YAML. Pure. */
import type { Explanation } from '../diagnostics/diagnostics.ts';

const lineOf = (pattern: string) => new RegExp(`^${pattern}`, 'm');
const from = lineOf('FROM[ \\t]+(?:--platform=\\S{1,100}[ \\t]+)?[^\\s:][^\\s]*(?:[ \\t]+AS[ \\t]+\\S+)?[ \\t]*\\r?$');
const instruction = lineOf('(?:RUN|COPY|ADD|WORKDIR|CMD|ENTRYPOINT|EXPOSE|ENV|ARG|USER)[ \\t]+\\S');

/** With the place of the first line that tells: a Dockerfile, or manifests of Kubernetes that are no single YAML document. */
export function foreignForm(text: string): Explanation | undefined {
  const base = from.exec(text);
  // A file's content in a configuration is indented, and so is no line of its own.
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
