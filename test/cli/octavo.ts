import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runScript } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';

/** A user of its own who runs the command line, or a script of the workspace, against the shared platform. */
export async function commandLine() {
  const { url, makeOrganization } = platform();
  const { token, id } = await makeOrganization();
  const env = { OCTAVO_URL: url, OCTAVO_TOKEN: token };
  return {
    organization: id,
    octavo: (...args: string[]) => runScript(['packages/cli/bin/octavo.mjs', ...args], env),
    replay: (file: string) => runScript(['scripts/replay.ts', file], env),
  };
}

export const temporaryFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'octavo-cli-'));

export async function writeTree(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return folder;
}

export async function readMarkdown(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.md')).sort();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(path.join(folder, file), 'latin1')] as const)),
  );
}

export const spaceIn = (output: string): string => /spc_\w+/.exec(output)?.[0] ?? '';
