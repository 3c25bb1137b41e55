import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../settings.ts';

export type CorpusName = 'rust-book' | 'docs';

export const kinds = ['title', 'question', 'typo', 'form', 'code'] as const;

/** A search with the pages that a reader who knows the corpus wants to see first. */
export interface Query {
  query: string;
  corpus: CorpusName;
  kind: (typeof kinds)[number];
  /** Paths of files in the folder of the corpus. Each of them is a right result. */
  pages: string[];
  /** Whether the query belongs to the test set, which must not be used to tune the search. */
  held: boolean;
}

/** Folders that can contain a corpus, relative to the repository. The Rust book isn't on every machine. */
const folders: Record<CorpusName, string[]> = {
  'rust-book': ['../shared/data/rust-book/src', '../../shared/data/rust-book/src'],
  docs: ['docs'],
};

/** Returns the folder of a corpus, or undefined if this machine doesn't have it. */
export const findFolder = (corpus: CorpusName): string | undefined =>
  folders[corpus].map((folder) => path.resolve(root, folder)).find((folder) => existsSync(folder));

/** Reads the judged queries: those of the test set if `held` is true, otherwise all others. */
export async function readQueries(held: boolean): Promise<Query[]> {
  const text = await readFile(path.join(import.meta.dirname, 'queries.json'), 'utf8');
  return (JSON.parse(text) as Query[]).filter((query) => query.held === held);
}
