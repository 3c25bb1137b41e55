import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../failure.ts';

/**
 * Settings for an untrusted repository: no hooks, helpers or maintenance, and unquoted paths. `environment` disables
 * prompts.
 */
const settings = [
  'core.hooksPath=/dev/null',
  'protocol.ext.allow=never',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
];
/**
 * Environment variables that select a repository or set options for one command. Git sets them for hooks. They are
 * removed, so that a sync uses the repository that was passed to it.
 */
const local =
  /^GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|CONFIG|CONFIG_COUNT|CONFIG_PARAMETERS|CONFIG_(?:KEY|VALUE)_\d+|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)$/;
const filterEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !local.test(name)));
const environment = { GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** The standard input of Git, as a whole or in chunks. */
type Input = string | Buffer | AsyncIterable<string | Buffer>;

/** Runs Git in a folder, without a shell. `objects` is an additional object directory. */
export async function runGit(
  folder: string,
  args: string[],
  { input = '', objects }: { input?: Input; objects?: string } = {},
): Promise<GitResult> {
  const all = ['-C', folder, ...settings.flatMap((setting) => ['-c', setting]), ...args];
  const env = { ...filterEnvironment(), ...environment, ...(objects && { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }) };
  const child = spawn('git', all, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const closed = once(child, 'close').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isMissing ? new Failure('Git is not installed.') : error;
  });
  const [[code]] = (await Promise.all([closed, writeInput(child.stdin, input)])) as [[number | null], unknown];
  return { code: code ?? 1, stdout: Buffer.concat(chunks), stderr };
}

/** Writes the input. If Git closes the pipe before it has read everything, the exit code reports the error. */
async function writeInput(to: Writable, input: Input): Promise<void> {
  try {
    await pipeline(typeof input === 'string' || Buffer.isBuffer(input) ? [input] : input, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && closings.has(String(error.code)))) throw error;
  }
}

const closings = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** Returns the output of Git. @throws Failure if Git fails */
export async function callGit(folder: string, args: string[], input?: Input): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(folder, args, { ...(input !== undefined && { input }) });
  if (code !== 0) throw new Failure(`git ${args[0]}: ${removeCredentials(stderr) || `exit code ${code}`}`);
  return stdout;
}

export const runGitForText = async (folder: string, args: string[], input?: Input): Promise<string> =>
  (await callGit(folder, args, input)).toString('utf8').trim();

/** Returns the last line of an error message, without the credentials in URLs. */
export const removeCredentials = (text: string): string =>
  (text.trim().split('\n').at(-1) ?? '').replace(/\/\/[^/@\s]{1,500}@/g, '//');
