#!/usr/bin/env node
/** The entry point of the packaged command `berth`, built by `npm run build:cli`. */
import { runProcess } from './process.ts';

await runProcess();
