import { PlatformError } from '@octavo/platform';
import type { Adapter } from '../adapter.ts';
import { type Api, bearer } from '../api.ts';
import type { Corpus } from '../corpus.ts';
import { type Operation, operationsOf } from '../operations.ts';
import { directus } from './directus.ts';
import { docmost } from './docmost.ts';
import { outline } from './outline.ts';
import { wikiJs } from './wiki-js.ts';

export interface Seeded {
  api: Api;
  operations: Operation[];
}

const peer =
  <Ids>(tokenVariable: string, adapter: Adapter<Ids>) =>
  async (url: string, corpus: Corpus): Promise<Seeded> => {
    const token = process.env[tokenVariable];
    if (!token) throw new PlatformError(`The token for ${url} is missing: put it into ${tokenVariable}.`);
    const api = { url, headers: bearer(token) };
    const ids = await adapter.seed(api, corpus);
    return { api, operations: operationsOf(adapter, ids, corpus) };
  };

/** Other programs, by the names that they are asked for: each gets the corpus and gives the requests to measure. */
export const peers = {
  'wiki-js': peer('WIKI_JS_TOKEN', wikiJs),
  directus: peer('DIRECTUS_TOKEN', directus),
  outline: peer('OUTLINE_TOKEN', outline),
  docmost: peer('DOCMOST_TOKEN', docmost),
};
