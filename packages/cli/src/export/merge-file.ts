import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { git, runGit } from '../sync/git.ts';
import type { Branch } from './git-branch.ts';

export interface ThreeTexts {
  base: Buffer;
  /** What the repository has, and what the space says. */
  there: Buffer;
  said: Buffer;
}

/** Merges a file as git merges them. Undefined where both sides have changed the same, or where it is no text. */
export async function mergeFile({ base, there, said }: ThreeTexts): Promise<Buffer | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-merge-'));
  try {
    const files = Object.entries({ there, base, said });
    await Promise.all(files.map(([name, bytes]) => writeFile(path.join(folder, name), bytes)));
    const { code, stdout } = await runGit(folder, ['merge-file', '-p', '-q', ...files.map(([name]) => name)]);
    return code === 0 ? stdout : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Which ids of bytes a repository knows: only what it has held can be what both sides had. */
export async function knownTo({ folder }: Branch, oids: readonly string[]): Promise<Set<string>> {
  if (oids.length === 0) return new Set();
  const listed = await git(folder, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], `${oids.join('\n')}\n`);
  const lines = listed.toString().split('\n');
  return new Set(lines.flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, -' blob'.length)] : [])));
}
