import { readFile } from 'node:fs/promises';
import { runEdgeBench } from './bench/edge.ts';
import { readCommand } from './bench/options.ts';
import { compareResults } from './bench/report.ts';
import type { Result } from './bench/result.ts';
import { runBench } from './bench/run-bench.ts';
import { runSoak } from './bench/soak.ts';
import { exitWithError } from './terminal.ts';

const readResult = async (file: string): Promise<Result> => JSON.parse(await readFile(file, 'utf8')) as Result;

try {
  const command = readCommand(process.argv.slice(2));
  if (command.does === 'help') {
    console.log(command.usage);
  } else if (command.does === 'compare') {
    const [before, after] = await Promise.all(command.files.map(readResult));
    if (before && after) console.log(compareResults(before, after));
  } else if (command.does === 'edge') {
    await runEdgeBench();
  } else if (command.does === 'soak') {
    process.exitCode = (await runSoak(command.minutes)) ? 0 : 1;
  } else {
    process.exitCode = (await runBench(command.options)) ? 0 : 1;
  }
} catch (error) {
  exitWithError(error);
}
