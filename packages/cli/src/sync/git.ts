import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../failure.ts';

/** Hooks and helpers of a stranger's repository are not run, nothing is asked, and paths mean themselves. */
const settings = [
  'core.hooksPath=/dev/null',
  'protocol.ext.allow=never',
  'core.fsmonitor=false',
  'core.quotePath=false',
];
/** What says which repository is meant, as hooks of git are told: a sync is of the one that it is given. */
const local = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);
const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !local.has(name)));
const environment = { GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Runs git in a folder, by its arguments and never by a shell. */
export async function runGit(folder: string, args: string[], input?: string | Buffer): Promise<GitResult> {
  const all = ['-C', folder, ...settings.flatMap((setting) => ['-c', setting]), ...args];
  const child = spawn('git', all, { env: { ...inherited(), ...environment }, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  // What git has no more need of is not read: its exit says what was wrong.
  child.stdin.on('error', () => {}).end(input);
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isMissing ? new Failure('There is no program git.') : error;
  })) as [number | null];
  return { code: code ?? 1, stdout: Buffer.concat(chunks), stderr };
}

/** What git writes. @throws Failure */
export async function git(folder: string, args: string[], input?: string | Buffer): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(folder, args, input);
  if (code !== 0) throw new Failure(`git ${args[0]}: ${withoutCredentials(stderr) || `it ended with ${code}`}`);
  return stdout;
}

export const gitText = async (folder: string, args: string[], input?: string | Buffer): Promise<string> =>
  (await git(folder, args, input)).toString('utf8').trim();

/** The last line of what went wrong, without what an address may carry of passwords. */
export const withoutCredentials = (text: string): string =>
  (text.trim().split('\n').at(-1) ?? '').replace(/\/\/[^/@\s]{1,500}@/g, '//');
