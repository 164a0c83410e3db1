/** The command `berth` as a package of its own: `npm run build:cli` makes it one file. */
import { runProcess } from './process.ts';

await runProcess();
