import path from 'node:path';
import { PlatformError } from '@octavo/platform';
import { type OctavoServer, startOctavo, withFolder } from '../bench/servers.ts';
import { indexFiles } from './mini-search.ts';
import { type ImportedCorpus, importCorpus } from './octavo-search.ts';
import { type CorpusName, findFolder, type Query, readQueries } from './queries.ts';
import { judge, type Outcome } from './scores.ts';
import type { JudgedQuery } from './tables.ts';

/**
 * Number of times that a corpus is imported. Octavo orders equally good results by ids, which differ in each import, so
 * the scores are means of several imports.
 */
const IMPORTS = 5;

/** Imports a corpus into several spaces, and runs its queries in both searches. */
async function judgeCorpus(
  server: OctavoServer,
  dataDir: string,
  { corpus, queries }: { corpus: CorpusName; queries: Query[] },
): Promise<JudgedQuery[]> {
  const folder = findFolder(corpus);
  if (folder === undefined) {
    console.error(`The queries of ${corpus} are skipped, because this machine doesn't have its files.`);
    return [];
  }
  const spaces: ImportedCorpus[] = [];
  for (let number = 1; number <= IMPORTS; number += 1)
    spaces.push(await importCorpus(server, dataDir, { folder, title: `${corpus} ${number}` }));
  const files = spaces[0]?.files ?? [];
  const missing = queries.flatMap(({ pages }) => pages).filter((file) => !files.includes(file));
  if (missing.length > 0) throw new PlatformError(`queries.json names files that aren't pages: ${missing.join(', ')}`);
  const miniSearch = await indexFiles(folder, files);
  const judged: JudgedQuery[] = [];
  for (const query of queries) {
    const octavo: Outcome[] = [];
    for (const { search } of spaces) octavo.push(await judge(search, query));
    judged.push({ ...query, octavo, miniSearch: [await judge(miniSearch, query)] });
  }
  return judged;
}

/** Runs the queries of the test set, or all others, on a new server, which is stopped and deleted afterwards. */
export const runSearchQuality = (held: boolean): Promise<JudgedQuery[]> =>
  withFolder(async (folder) => {
    const queries = await readQueries(held);
    const dataDir = path.join(folder, 'data');
    const server = await startOctavo(dataDir);
    try {
      const judged: JudgedQuery[] = [];
      for (const corpus of ['rust-book', 'docs'] as const) {
        const ofCorpus = queries.filter((query) => query.corpus === corpus);
        judged.push(...(await judgeCorpus(server, dataDir, { corpus, queries: ofCorpus })));
      }
      return judged;
    } finally {
      await server.stop();
    }
  });
