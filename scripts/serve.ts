import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import {
  fillBundle,
  getMailFolder,
  type Platform,
  PlatformError,
  startPlatform,
  toDisplayHost,
} from '@octavo/platform';
import { respondToWatch } from './answer-watch.ts';
import { type DevFile, isAccepted, readDevFile, readEmail } from './dev-file.ts';
import { outDir, readSettings, root, type Settings } from './settings.ts';
import { exitWithError, reportStep } from './terminal.ts';

let platform: Platform | undefined;
let filling: ChildProcess | undefined;
let isStopping = false;

async function stop(code = 0): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  filling?.kill();
  await platform?.stop();
  console.log(`${process.stdout.isTTY ? '\r' : ''}Octavo stopped.`);
  process.exit(code);
}

const start = ({
  port,
  host,
  dataDir,
  vars,
  testKey,
  restartReason,
  shape,
  patienceSeconds,
  disk,
  smtpUrl,
}: Settings) =>
  reportStep('start', async () => {
    const messages: string[] = [];
    let isReady = false;
    const log = (message: string) => (isReady ? console.log(message) : messages.push(message));
    const onGivenUp = (reason: string) => {
      console.error(`The runtime ${reason}. Octavo has stopped.`);
      void stop(1);
    };
    const options = {
      root,
      outDir,
      dataDir,
      port,
      host,
      vars,
      testKey,
      log,
      restarted: restartReason,
      shape,
      patienceSeconds,
      disk,
      smtpUrl,
      onGivenUp,
    };
    const started = await startPlatform(options);
    isReady = true;
    platform = started;
    if (isStopping) await started.stop();
    return [started, messages.join(' ') || 'database up to date'];
  });

/** Creates the missing initial content in a separate process, so that its memory is released afterwards. */
async function fill({ url }: Platform, dataDir: string, isEmpty: boolean): Promise<DevFile> {
  const last = await readDevFile(dataDir);
  if (last !== undefined && (isEmpty || last.space !== null) && (await isAccepted(url, last.token))) {
    if (last.url === url) return last;
  }
  const args = [path.join(outDir, fillBundle), url, ...(isEmpty ? ['--empty'] : [])];
  filling = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(filling, 'exit');
  const devFile = await readDevFile(dataDir);
  if (code !== 0 || devFile === undefined) throw new PlatformError('The initial content could not be created.');
  return devFile;
}

const seed = (started: Platform, { dataDir }: Settings, isEmpty: boolean) =>
  reportStep('seed', async () => {
    const dev = await fill(started, dataDir, isEmpty);
    return [dev, `organization ${dev.organization}${dev.space ? `, space ${dev.space}` : ''}`];
  });

function toDisplayPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative || '.';
}

const describeMail = ({ smtpUrl, dataDir, vars }: Settings): string =>
  smtpUrl === undefined
    ? `written to ${toDisplayPath(getMailFolder(dataDir))}, because OCTAVO_SMTP_URL is not set`
    : `${toDisplayHost(smtpUrl)}, from ${vars.OCTAVO_MAIL_FROM}`;

/**
 * Returns the URL at which the user of the initial content opens the app: a link that signs in once, or the sign-in
 * page if the server cannot create a link now.
 */
async function createSignInUrl({ url, operator }: Platform, { token }: DevFile): Promise<string> {
  const { status, body } = await operator.answer('/login-link', { email: await readEmail(url, token) });
  return status === 200 ? `${(body as { url: string }).url} (signs in once, within an hour)` : `${url}/login`;
}

/** Prints the server's URLs, data folder and first steps; `dev` is undefined if the start created no account. */
function printAddress(url: string, dev: (DevFile & { app: string }) | undefined, settings: Settings): void {
  const { dataDir } = settings;
  const lines = [
    ...(dev === undefined ? [] : [['App', dev.app]]),
    ['API', `${url}/v1`],
    ...(dev === undefined ? [] : [['Token', dev.token]]),
    ['Reference', `${url}/reference`],
    ...(dev?.site == null ? [] : [['Docs', dev.site]]),
    ['Data', `${toDisplayPath(dataDir)} (log: ${toDisplayPath(path.join(dataDir, 'octavo.log'))})`],
    ['Mail', describeMail(settings)],
    [],
    ...(dev === undefined
      ? [['Account', 'create the first one with: npx octavo admin create']]
      : [['Try', `curl -H 'Authorization: Bearer ${dev.token}' ${url}/v1/user`]]),
  ];
  console.log(`\n${lines.map(([name = '', value = '']) => `  ${name.padEnd(10)} ${value}`.trimEnd()).join('\n')}\n`);
  console.log('Octavo is ready. Press Ctrl-C to stop.');
}

try {
  const settings = readSettings(process.env);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());
  const started = await start(settings);
  const isBare = process.argv.includes('--bare');
  const dev = isBare ? undefined : await seed(started, settings, process.argv.includes('--empty'));
  printAddress(started.url, dev && { ...dev, app: await createSignInUrl(started, dev) }, settings);
  const { supervisorFolder, patienceSeconds } = settings;
  if (supervisorFolder !== undefined) await respondToWatch(supervisorFolder, patienceSeconds, stop);
} catch (error) {
  await platform?.stop();
  if (process.stdout.isTTY) console.log();
  if (!isStopping) exitWithError(error);
}
