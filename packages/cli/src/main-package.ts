#!/usr/bin/env node
import { octavo } from './package.ts';
import { untilRead } from './terminal.ts';

untilRead(process);
process.exitCode = await octavo(process.argv.slice(2), process);
