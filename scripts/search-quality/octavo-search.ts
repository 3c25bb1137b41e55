import { setTimeout as delay } from 'node:timers/promises';
import { importFolder } from '@octavo/cli';
import { callOperator, PlatformError } from '@octavo/platform';
import { callJson } from '../bench/api.ts';
import type { OctavoServer } from '../bench/servers.ts';
import { maxResults, type Search } from './scores.ts';

const INDEX_LIMIT_MS = 120_000;
const ASK_EVERY_MS = 200;

interface PageNode {
  id: string;
  title: string;
  git?: { path: string };
  pages?: PageNode[];
}

interface FoundPage {
  id: string;
  path: string;
}

/** A corpus in a space of the server. */
export interface ImportedCorpus {
  /** The paths of the files that became pages. */
  files: string[];
  search: Search;
}

const listNodes = (nodes: PageNode[]): PageNode[] => nodes.flatMap((node) => [node, ...listNodes(node.pages ?? [])]);

/** Imports a folder into a new space, and waits until its pages are in the search index. */
export async function importCorpus(
  { api, dev }: OctavoServer,
  dataDir: string,
  corpus: { folder: string; title: string },
): Promise<ImportedCorpus> {
  const { organization } = dev;
  const { report } = await importFolder({ api: dev, ...corpus, space: 'new', organization });
  if (report.pages.failed > 0)
    throw new PlatformError(`${report.pages.failed} pages of ${corpus.folder} could not be imported.`);
  const path = `/v1/spaces/${report.space}`;
  const get = <Body>(route: string) => callJson<Body>(api, { method: 'GET', path: `${path}${route}` });
  const find = async (query: string, limit: number): Promise<FoundPage[]> =>
    (await get<{ items: FoundPage[] }>(`/search?query=${encodeURIComponent(query)}&limit=${limit}`)).items;
  const { pages } = await get<{ pages: PageNode[] }>('/content/pages');
  const nodes = listNodes(pages).filter(({ git }) => git !== undefined);
  const fileById = new Map(nodes.map(({ id, git }) => [id, git?.path]));
  await waitForIndex(dataDir, async () => {
    const last = nodes.at(-1);
    return last === undefined || (await find(last.title, 100)).some(({ id }) => id === last.id);
  });
  return {
    files: nodes.flatMap(({ git }) => (git ? [git.path] : [])),
    search: async (query) => (await find(query, maxResults)).map(({ id, path }) => fileById.get(id) ?? path),
  };
}

/** Waits until no job is waiting, and the last page is found. */
async function waitForIndex(dataDir: string, isFound: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + INDEX_LIMIT_MS;
  for (;;) {
    const { jobs } = await callOperator(dataDir, '/jobs');
    if (jobs.length === 0 && (await isFound())) return;
    if (Date.now() > deadline)
      throw new PlatformError(`The search index was not complete after ${INDEX_LIMIT_MS / 1000} seconds.`);
    await delay(ASK_EVERY_MS);
  }
}
