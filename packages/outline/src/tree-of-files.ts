import { parseSummary } from './parse-summary.ts';
import { readText, type Source } from './source.ts';
import { treeOfFolders } from './tree-of-folders.ts';
import { treeOfSummary } from './tree-of-summary.ts';
import type { WantedTree } from './wanted.ts';

/** The tree of pages that the files of a folder ask for: by its SUMMARY.md, else as the folders nest. */
export async function treeOfFiles(source: Source): Promise<WantedTree> {
  const summary =
    source.paths.find((path) => path === 'SUMMARY.md') ?? source.paths.find((path) => /^summary\.md$/i.test(path));
  if (summary === undefined) return treeOfFolders(source);
  const { text } = await readText(source, summary).catch((error: unknown) => {
    throw new Error(`${summary}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return treeOfSummary(parseSummary(text), source, summary);
}
