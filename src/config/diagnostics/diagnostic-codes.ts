/** Every code of a diagnostic of the native form, with what it means; docs/configuration.md lists them. */

export const codes = {
  // The text.
  unparsable: 'The text is no YAML. The message says what to look for at this place.',
  'repeated-key': 'A key is there twice in one map.',
  'too-large': 'The document is larger than 256 KiB.',
  'too-deep': 'The document is nested deeper than any configuration can be.',
  'too-many-aliases': 'Written out, the aliases of the document are larger than 1 MiB.',
  'too-costly': 'Reading the document takes too much processor time or memory.',
  'too-many-problems': 'Only the first 100 problems are reported.',

  // The form.
  empty: 'The document is empty.',
  'not-a-map': 'The document is no map of fields.',
  'no-application': 'There is no `application`.',
  'misplaced-field': 'A field stands in another place than where it is read.',
  'old-template-form': 'The form `application.template` is no longer read.',
  'foreign-form': 'The document is of another kind, for example a Dockerfile or a Kubernetes manifest.',
  'not-converted': 'A part of a Kubernetes manifest has no place in the configuration that the fix writes.',
  'unknown-field': 'A field has an unknown name and is ignored.',
  'missing-field': 'A field is missing that must be there.',
  'wrong-type': 'A value is of another type, for example a text instead of a list.',
  'bad-value': 'A value breaks the rule of its field.',
  'lenient-value': 'A value is not in its usual form, and read as it is meant.',

  // Names.
  'bad-name': 'The name of an application or pod breaks the rules of DNS.',
  'duplicate-pod': 'Two pods have the same name.',
  'ambiguous-name': 'A pod has a name by which another one is reached too.',

  // Routes.
  'no-public-path': 'No pod has a `path`, and not all are jobs.',
  'duplicate-path': 'Two pods have the same path.',
  'path-without-port': 'A public pod names no port.',
  'inferred-port': 'The port is missing and taken from elsewhere.',
  'no-ports': 'A pod without ports runs as a worker: nobody can connect to it.',
  'duplicate-port': 'A port is there twice.',
  'path-on-job': 'A job has a path, and has ended when somebody visits it.',
  'database-with-path': 'A database has a public path.',
  'public-admin-tool':
    'Everyone can reach a tool that changes everything, and it has no password or one that everybody knows.',
  'custom-domain': 'A custom domain takes effect later.',
  'bad-domain': 'The custom domain is no domain name and is ignored.',
  'option-without-path': 'An option of a route, on a pod without a path.',
  'subdomain-without-url': 'A subdomain needs the custom domain `url`.',

  // Images.
  'image-placeholder': 'The image is a placeholder, not an image.',
  'bad-image': 'The text is no image reference.',
  'image-unavailable': 'The server cannot get the image now; only a validation with `images=true` looks.',
  'image-without-tag': 'The image has neither tag nor digest.',
  'image-case': 'Names of images are in lower case.',
  'latest-image': 'A tag such as `latest`, `stable` or `8.2-nightly` is another image tomorrow.',
  'registry-without-login': '`<% REGISTRY %>` without `registryLogin`.',
  'unused-login': 'No image is of the registry of `registryLogin`.',
  'login-placeholder': 'The credentials are a placeholder.',

  // Variables and references.
  'vars-list': 'The variables are a list of another form than `key` and `value`; it is read like a map.',
  'nested-var': 'The value of a variable is a map or list.',
  'bad-var-name': 'A text cannot be the name of a variable.',
  'bad-var-value': 'A text cannot be the value of a variable.',
  'duplicate-var': 'A variable is there twice; the last one counts.',
  'unset-variable': '`${NAME}` names a variable that no pod has: it becomes empty.',
  'generated-value': '`${NAME}` names a password or key that no pod has: it gets a random value that stays.',
  'missing-key': '`${NAME}` names a password or key of something outside of the document: it becomes empty.',
  'ambiguous-variable': '`${NAME}` has different values in different pods.',
  'dollar-variable': '`$NAME` is not replaced; `${NAME}` is.',
  'expands-too-far': 'The variables become too long when they are replaced.',
  'pod-port-reference': '`${pod:port}` is an older way to write `pod.pod:port`.',
  'unknown-scriptlet': 'A scriptlet `<% … %>` is not known.',
  'unknown-pod': 'A name ends in `.pod`, and no pod has it.',
  'unknown-host': 'A variable names a host that is neither a pod of the application nor a public name.',
  'pod-in-browser': 'A variable is meant for the browser, which cannot reach `.pod` names.',
  'localhost-reference': '`localhost` is the pod itself, and another one is meant.',
  'hard-coded-host': "The deployment's own address is written out.",
  'site-host-missing': 'A list of allowed hosts does not hold the one that the application is deployed at.',
  'placeholder-value': 'Values are placeholders, or images examples.',
  'host-with-port': '`<% DOMAIN %>` may hold a port, where only a host can be.',

  // Files and volumes.
  'duplicate-file': 'Two files of a pod have the same path.',
  'bad-file-path': 'A file cannot have this path.',
  'duplicate-volume': 'Two volumes of a pod have the same name or directory.',
  'volume-default': 'A volume has no name or size and gets the default.',
  'bad-mount-path': 'A volume cannot be mounted at this path.',
  'memory-limit': 'What is to lie in memory is more than the memory of the pod.',
  'read-only-files': 'Files are put into a pod, and so it cannot be read-only.',
  'file-on-volume': 'A file and a volume have the same path.',
  'shared-data': 'Several replicas, or pods, write to the same volume, or expect to.',
  'missing-password': 'A database does not start without a variable for its password.',
  'data-directory': 'A database looks for its data in another directory than that of its volume.',
  'database-without-volume': 'A database keeps its data where no volume is: it leaves with an update.',
  'windows-line-endings': 'A script has line endings of Windows: its interpreter is not found.',
  'not-executable': 'The file of the entrypoint is not executable.',
  'encoded-secret': 'The content of a file is base64, which is not decoded.',

  // Limits and life.
  'limit-below-request': 'A limit is below what is requested.',
  'unlikely-quantity': 'A quantity is probably meant in another unit.',
  'not-a-job': 'A pod looks like one that ends, and is started again whenever it does.',
  'beyond-limit':
    'More is asked for than this service can ever give: of the server, of the plan, or without an account.',
  'ignored-replicas': 'A job or daemonset has no replicas.',
  'dependency-cycle': 'Pods wait for each other in a circle.',
  'argument-too-long': 'A word of a command is longer than Linux accepts.',
  'unclosed-quote': 'A command has a quote that is not closed.',
  'shell-syntax': 'A command is written for a shell, and none runs it.',
  'repeated-entrypoint': "A command repeats the image's entrypoint.",
} as const;

export type Code = keyof typeof codes;
