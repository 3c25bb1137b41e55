#!/usr/bin/env node
import { octavo } from './package.ts';
import { endWhenOutputCloses } from './terminal.ts';

endWhenOutputCloses(process);
process.exitCode = await octavo(process.argv.slice(2), process);
