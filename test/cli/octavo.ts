import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runOctavo, type Terminal } from '@octavo/cli';
import { onTestFinished } from 'vitest';
import { type Finished, runScript } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';

/** Makes a new user who runs the command line, or a script of the workspace, against the shared platform. */
export async function createCommandLine() {
  const { url, makeOrganization } = platform();
  const { token, id } = await makeOrganization();
  const env = { OCTAVO_URL: url, OCTAVO_TOKEN: token };
  return {
    organization: id,
    token,
    env,
    octavo: (...args: string[]) => octavo(env, ...args),
  };
}

type Environment = Record<string, string>;
type Result = Pick<Finished, 'code' | 'stdout' | 'stderr'>;

export async function runInProcess(run: (terminal: Terminal) => Promise<number>, env: Environment): Promise<Result> {
  const printed = { stdout: '', stderr: '' };
  const createStream = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  const code = await run({
    env: { ...process.env, ...env },
    stdout: createStream('stdout'),
    stderr: createStream('stderr'),
  });
  return { code, ...printed };
}

/** Runs a command in the process of the test. */
export const octavo = (env: Environment, ...args: string[]): Promise<Result> =>
  runInProcess((terminal) => runOctavo(args, terminal), env);

/** Returns the usages of all commands by their names, from the help. */
export async function listUsages(): Promise<Map<string, string>> {
  const { stdout } = await octavo({}, '--help');
  const usages = [...stdout.matchAll(/^ {2}octavo ([a-z-]+(?: [a-z][a-z-]*)?).*$/gm)];
  return new Map(usages.map(([usage, name = '']) => [name, usage.trim()]));
}

/** Runs a command in a separate process. */
export const octavoProcess = (env: Environment, ...args: string[]): Promise<Finished> =>
  runScript(['packages/cli/bin/octavo.mjs', ...args], env);

/** Makes a folder that is removed when the test ends. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Files = Record<string, string | Uint8Array>;

export async function writeTree(files: Files): Promise<string> {
  const folder = await createTemporaryFolder();
  await writeFiles(folder, files);
  return folder;
}

/** Writes files to a temporary folder that is removed after `use`. */
export async function withTree<Result>(files: Files, use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-cli-'));
  try {
    await writeFiles(folder, files);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await writeFile(path.join(folder, file), content);
  }
}

export async function readMarkdown(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.md')).sort();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(path.join(folder, file), 'latin1')] as const)),
  );
}

export const findSpaceId = (output: string): string => /spc_\w+/.exec(output)?.[0] ?? '';

interface Listed {
  title: string;
  type: string;
  hidden?: boolean;
  pages?: Listed[];
}

/** Returns the titles of a space's pages, indented by depth. `#` marks a group, `>` a link, `-` a hidden page. */
export async function getOutline({ token }: { token: string }, space: string): Promise<string[]> {
  const response = await platform().request(`/v1/spaces/${space}/content/pages`, { token });
  const { pages } = (await response.json()) as { pages: Listed[] };
  const marks: Record<string, string> = { group: '# ', link: '> ' };
  const listLines = (list: Listed[], indent: string): string[] =>
    list.flatMap(({ title, type, hidden, pages: children = [] }) => [
      `${indent}${marks[type] ?? (hidden ? '- ' : '')}${title}`,
      ...listLines(children, `${indent}  `),
    ]);
  return listLines(pages, '');
}
