#!/usr/bin/env node
import { runOctavo } from './package.ts';
import { endWhenOutputCloses } from './terminal.ts';

endWhenOutputCloses(process);
process.exitCode = await runOctavo(process.argv.slice(2), process);
