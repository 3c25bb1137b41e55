import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../failure.ts';

/** Hooks and helpers of a stranger's repository are not run, nothing is asked, and paths mean themselves. */
const settings = [
  'core.hooksPath=/dev/null',
  'protocol.ext.allow=never',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
];
/** What says which repository is meant, and settings for one command, as hooks of git are told: a sync is of the one that it is given. */
const local =
  /^GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|CONFIG|CONFIG_COUNT|CONFIG_PARAMETERS|CONFIG_(?:KEY|VALUE)_\d+|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)$/;
const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !local.test(name)));
const environment = { GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** What git reads, at once or piece by piece. */
type Input = string | Buffer | AsyncIterable<string | Buffer>;

/** Runs git in a folder, by its arguments and never by a shell. `objects` is a folder of objects that it finds as well. */
export async function runGit(
  folder: string,
  args: string[],
  { input = '', objects }: { input?: Input; objects?: string } = {},
): Promise<GitResult> {
  const all = ['-C', folder, ...settings.flatMap((setting) => ['-c', setting]), ...args];
  const env = { ...inherited(), ...environment, ...(objects && { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }) };
  const child = spawn('git', all, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const closed = once(child, 'close').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isMissing ? new Failure('There is no program git.') : error;
  });
  const [[code]] = (await Promise.all([closed, write(child.stdin, input)])) as [[number | null], unknown];
  return { code: code ?? 1, stdout: Buffer.concat(chunks), stderr };
}

/** What git has no more need of is not read: its exit says what was wrong. */
async function write(to: Writable, input: Input): Promise<void> {
  try {
    await pipeline(typeof input === 'string' || Buffer.isBuffer(input) ? [input] : input, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && closings.has(String(error.code)))) throw error;
  }
}

const closings = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** What git writes. @throws Failure */
export async function git(folder: string, args: string[], input?: Input): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(folder, args, { ...(input !== undefined && { input }) });
  if (code !== 0) throw new Failure(`git ${args[0]}: ${withoutCredentials(stderr) || `it ended with ${code}`}`);
  return stdout;
}

export const gitText = async (folder: string, args: string[], input?: Input): Promise<string> =>
  (await git(folder, args, input)).toString('utf8').trim();

/** The last line of what went wrong, without what an address may carry of passwords. */
export const withoutCredentials = (text: string): string =>
  (text.trim().split('\n').at(-1) ?? '').replace(/\/\/[^/@\s]{1,500}@/g, '//');
