import { type Api, createAuthorization } from '../api.ts';
import type { Corpus } from '../corpus.ts';
import { type Adapter, createOperations, type Operation } from '../operations.ts';
import { directus } from './directus.ts';

interface SeededPeer {
  api: Api;
  operations: Operation[];
}

/** Another product: the environment variable of its token, and the adapter that seeds it and creates the requests. */
export interface Peer {
  tokenVariable: string;
  seed(url: string, token: string, corpus: Corpus): Promise<SeededPeer>;
}

const createPeer = <Ids>(tokenVariable: string, adapter: Adapter<Ids>): Peer => ({
  tokenVariable,
  async seed(url, token, corpus) {
    const api = { url, headers: createAuthorization(token) };
    const ids = await adapter.seed(api, corpus);
    return { api, operations: createOperations(adapter, ids, corpus) };
  },
});

/** The peers by their names on the command line. */
export const peers: Record<string, Peer> = {
  directus: createPeer('DIRECTUS_TOKEN', directus),
};
