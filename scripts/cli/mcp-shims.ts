/**
 * In the packed command, instead of what the library of the Model Context Protocol takes for Node: a validator of JSON
 * Schema of a fifth of the size, for a program that is parsed at every start. (Arguments are checked by its schemas.)
 */
import process from 'node:process';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator, process };
