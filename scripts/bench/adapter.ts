import type { Api } from './api.ts';
import type { ApiRequest } from './api-request.ts';
import type { Corpus } from './corpus.ts';

/**
 * What the benchmark knows of a program: how it gets the corpus, and the requests that are measured. `nth` numbers the
 * documents of the corpus; `Ids` is whatever the requests need of what was seeded.
 */
export interface Adapter<Ids> {
  seed(api: Api, corpus: Corpus): Promise<Ids>;
  /** A page with its text. */
  read(ids: Ids, nth: number): ApiRequest;
  /** Fifty pages without their texts. */
  list(ids: Ids): ApiRequest;
  search(ids: Ids, word: string): ApiRequest;
  comment(ids: Ids, nth: number): ApiRequest;
  update(ids: Ids, nth: number, markdown: string): ApiRequest;
  create(ids: Ids, nth: number, markdown: string): ApiRequest;
  /** What needs no data at all. */
  constant?(): ApiRequest;
  listSpaces?(ids: Ids): ApiRequest;
  /** A page as visitors of a site read it. */
  page?(ids: Ids): ApiRequest;
}
