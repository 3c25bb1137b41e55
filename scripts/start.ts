import path from 'node:path';
import { buildPlatform, type Platform, PlatformError, startPlatform } from '@octavo/platform';
import { answerChecks } from './answer-checks.ts';
import { type DevFile, writeDevFile } from './dev-file.ts';
import { explain } from './explain.ts';
import { seed } from './seed.ts';
import { outDir, readSettings, root, type Settings } from './settings.ts';

let platform: Platform | undefined;
let isStopping = false;

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await platform?.stop();
  console.log(`${process.stdout.isTTY ? '\r' : ''}Octavo stopped.`);
  process.exit(0);
}

async function step<Value>(name: string, work: () => Promise<[Value, string]>): Promise<Value> {
  const started = performance.now();
  if (process.stdout.isTTY) process.stdout.write(`  ${name.padEnd(10)}...`);
  const [value, told] = await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
  console.log(`${process.stdout.isTTY ? '\r' : ''}  ${name.padEnd(10)}${seconds} s  ${told}`);
  return value;
}

const build = () =>
  step('build', async () => {
    const { rebuilt, workers } = await buildPlatform({ root, outDir });
    return [undefined, rebuilt ? `${workers.length} workers` : 'nothing changed'];
  });

const start = ({ port, dataDir, vars, testKey, restarted, shape }: Settings) =>
  step('start', async () => {
    const news: string[] = [];
    let isReady = false;
    const log = (message: string) => (isReady ? console.log(message) : news.push(message));
    const started = await startPlatform({ root, outDir, dataDir, port, vars, testKey, log, restarted, shape });
    isReady = true;
    platform = started;
    if (isStopping) await started.stop();
    return [started, news.join(' ') || 'database up to date'];
  });

const fill = ({ url, operator }: Platform, { dataDir }: Settings, isEmpty: boolean) =>
  step('seed', async () => {
    const onProgress = (done: number, total: number) => {
      if (process.stdout.isTTY) process.stdout.write(`\r  ${'seed'.padEnd(10)}${done} of ${total} pages`);
    };
    const dev = await seed({ dataDir, url, operator, isEmpty, onProgress });
    await writeDevFile(dataDir, dev);
    return [dev, `organization ${dev.organization}${dev.space ? `, space ${dev.space}` : ''}`];
  });

function shown(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative || '.';
}

function announce({ url, token }: DevFile, { dataDir }: Settings): void {
  console.log(`
  API        ${url}/v1
  Token      ${token}
  Reference  ${url}/reference
  Data       ${shown(dataDir)} (log: ${shown(path.join(dataDir, 'octavo.log'))})

  Try        curl -H 'Authorization: Bearer ${token}' ${url}/v1/user

Octavo is ready. Ctrl-C stops it.`);
}

function readArguments(args: string[]): { isEmpty: boolean } {
  const strange = args.find((arg) => arg !== '--empty');
  if (strange) throw new PlatformError(`npm start does not know "${strange}"; it takes -- --empty only.`);
  return { isEmpty: args.includes('--empty') };
}

try {
  const { isEmpty } = readArguments(process.argv.slice(2));
  const settings = readSettings(process.env);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  console.log('Octavo');
  await build();
  const started = await start(settings);
  announce(await fill(started, settings, isEmpty), settings);
  answerChecks(started, stop);
} catch (error) {
  await platform?.stop();
  if (process.stdout.isTTY) console.log();
  if (!isStopping) explain(error);
}
