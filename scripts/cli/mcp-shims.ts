/**
 * Replaces a part of the Model Context Protocol library in the packed command: its JSON Schema validator, with one of a
 * fifth of the size, because the program is parsed at every start. (It checks tool arguments.)
 */
import process from 'node:process';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator, process };
