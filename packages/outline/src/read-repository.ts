import type { Repository, RepositoryOptions } from './repository.ts';
import { treeOfFiles } from './tree-of-files.ts';
import type { OutlineSource } from './wanted.ts';
import { wantedFiles } from './wanted-files.ts';

/**
 * Reads a documentation repository of any convention: the one reader of folders, archives and work trees. Nothing of
 * the source is executed, and nothing is left out without a problem that says so.
 * @throws Error where the file that says the order cannot be read at all.
 */
export async function readRepository(source: OutlineSource, _options: RepositoryOptions = {}): Promise<Repository> {
  const { roots, failed, summary } = await treeOfFiles(source);
  return {
    roots,
    files: wantedFiles(source, roots),
    reusableContents: [],
    variables: {},
    redirects: [],
    meanings: new Map(),
    problems: failed.map((problem) => ({ kind: 'failed' as const, ...problem })),
    convention: summary === undefined ? { name: 'folders' } : { name: 'summary', path: summary },
  };
}
