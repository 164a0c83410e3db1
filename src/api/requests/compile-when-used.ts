/**
 * Compiles the schemas of requests and responses on first use. The framework would compile all of them before the first
 * request, which takes a quarter of the processor time of a start (measured). A short-lived process uses few of them.
 */
import compileValidators, { type BuildCompilerFromPool } from '@fastify/ajv-compiler';
import compileSerializers, { type Serializer, type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

const frameworksValidators = compileValidators();
const frameworksSerializers = compileSerializers();

/** Several apps in one process, as in tests, share the schemas. */
const serializers = new WeakMap<object, Serializer>();

/** For `schemaController`. Otherwise they are the framework's own. */
export const compilersFactory = {
  buildValidator: ((schemas, options) => {
    const compiler = onFirstUse(() => frameworksValidators(schemas, options));
    return (route) => {
      const validator = onFirstUse(() => compiler()(route));
      // The framework would read the errors from this function. It accepts any function, although its types are
      // stricter.
      const validate = (value: unknown) => validator()(value) || { error: validator().errors };
      return validate as unknown as ReturnType<typeof validator>;
    };
  }) satisfies BuildCompilerFromPool,

  buildSerializer: ((schemas, options) => {
    const compiler = onFirstUse(() => frameworksSerializers(schemas, options));
    return (route) => {
      const schema = route.schema as object;
      const compile = () => {
        const serializer = compiler()(route);
        serializers.set(schema, serializer);
        return serializer;
      };
      return (value: unknown) => (serializers.get(schema) ?? compile())(value);
    };
  }) satisfies SerializerFactory,
};

function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
