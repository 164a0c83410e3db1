#!/usr/bin/env node
/** The command `berth` as a package of its own: `npm run build:cli` makes it. */
import { runProcess } from './process.ts';

await runProcess();
