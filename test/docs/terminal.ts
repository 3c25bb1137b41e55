import { execFile, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { createTemporaryFolder, octavo } from '../cli/octavo.ts';
import { serveLocally } from '../support/local-server.ts';
import { until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { readDocument, root } from './documents.ts';

/** The variables and functions that the tutorial defines for all guides. */
const [setup = ''] = /^export DATA=[\s\S]*?(?=^```$)/m.exec(readDocument('docs/get-started/call-the-api.md')) ?? [];

// An HTTP error ends the script, and each response ends with a newline.
const settings = 'silent\nshow-error\nfail-with-body\nwrite-out = "\\n"\n';
const prelude = 'set -euo pipefail';
/**
 * Replacement for `npx octavo` in commands that end on their own. Their code runs in the process of the test, because
 * starting a process takes a second.
 */
const replacements = `npx() {
  local words=()
  for word in "\${@:2}"; do words+=(--data-urlencode "word=$word"); done
  curl "\${words[@]}" "$COMMANDS"
}`;
/** Replacement for `npx octavo` in commands that run until Ctrl-C. */
const started = 'npx() { "$@"; }';

/** Serves an endpoint that runs octavo commands in the folder. */
const serveCommands = (folder: string) =>
  serveLocally(async (request, response) => {
    process.chdir(folder);
    const words = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString()).getAll('word');
    // Operator commands, such as `token`, need the data directory of the server.
    const env: Record<string, string> = words[0] === 'token' ? { OCTAVO_DATA: platform().dataDir } : {};
    const { code, stdout, stderr } = await octavo(env, ...words);
    response.writeHead(code === 0 ? 200 : 500).end(code === 0 ? stdout : stderr);
  });

async function makeFolder({ organization, id: space, token }: TestSpace) {
  const above = await createTemporaryFolder();
  const folder = path.join(above, 'workspace');
  await mkdir(path.join(folder, '.octavo'), { recursive: true });
  await symlink(path.join(root, 'integrations'), path.join(folder, 'integrations'));
  const dev = { url: platform().url, token, organization, space };
  await writeFile(path.join(folder, '.octavo/dev.json'), JSON.stringify(dev));
  await writeFile(path.join(above, '.curlrc'), settings);
  // This file passes exported variables and functions to later scripts.
  await writeFile(path.join(above, 'kept.sh'), setup);
  return { above, folder };
}

/** Runs a script until its output contains `text`. Returns a function that stops it like Ctrl-C. */
async function startScript(script: string, text: string, options: SpawnOptionsWithoutStdio) {
  const child = spawn('bash', ['-c', script], { ...options, detached: true });
  const ended = once(child, 'close');
  const sendSignal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name);
  onTestFinished(() => void (child.exitCode === null && child.signalCode === null && sendSignal('SIGKILL')));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${printed}`);
    return printed.includes(text) || undefined;
  });
  return async () => {
    sendSignal('SIGINT');
    await ended;
    return printed;
  };
}

/** Opens a shell to run the commands of the documents, in a folder with the parts of the workspace that they use. */
export async function openTerminal(space: TestSpace) {
  const { above, folder } = await makeFolder(space);
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  const tools = [path.dirname(process.execPath), path.join(root, 'node_modules/.bin'), process.env.PATH];
  const COMMANDS = await serveCommands(folder);
  const env = { PATH: tools.join(path.delimiter), HOME: above, CURL_HOME: above, TMPDIR: above, COMMANDS };
  const options = { cwd: folder, env };
  const sourceScript = `. ${above}/kept.sh`;

  return {
    above,
    folder,
    /** Runs a script with the variables and functions of the previous ones. Returns the printed lines. */
    async run(script: string): Promise<string[]> {
      const whole = [prelude, sourceScript, replacements, script, `{ export -p; declare -f; } > ${above}/kept.sh`].join(
        '\n',
      );
      const { stdout } = await promisify(execFile)('bash', ['-c', whole], options);
      return stdout.split('\n').filter((line) => line !== '');
    },
    start: (script: string, text: string) =>
      startScript([prelude, sourceScript, started, script].join('\n'), text, options),
  };
}
