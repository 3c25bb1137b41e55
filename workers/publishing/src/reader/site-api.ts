import type { ShownDocument } from '@octavo/reader';
import { addCost, type Background, forward, readGatewayContext, testKeyHeader } from '@octavo/runtime';
import type { Cost, Metered, ShownDocuments, ShownTexts } from '@octavo/schema';
import { endpoints } from '../endpoints.ts';
import type { PublishingEnvironment } from '../environment.ts';

/** The API as a visitor of a site asks it: what it does not give a visitor, no page can show. */
export interface SiteApi {
  /** What is at a path of the API; undefined where there is nothing for this visitor. @throws Error for other answers */
  get<Answer>(path: string): Promise<Answer | undefined>;
  /** The same of what many pages are drawn with: asked for once while the site shows the visitor the same. */
  getShared<Answer>(path: string): Promise<Answer | undefined>;
  /**
   * The answer itself, as bytes, for what is too large to be parsed whole: with the status 304 where it has the tag of what
   * is held already. Undefined where there is nothing for this visitor. @throws Error for other answers
   */
  open(path: string, heldTag?: string): Promise<Response | undefined>;
  /** The same of what is asked with a body. */
  post<Answer>(path: string, body: object): Promise<Answer | undefined>;
  /** The texts of pages by their ids, many at once, as the API gives each; undefined for what it does not. */
  texts(reading: Omit<ShownTexts, 'token'>): Promise<(string | undefined)[]>;
  /** The same of their documents. */
  documents(reading: Omit<ShownDocuments, 'token'>): Promise<(ShownDocument | undefined)[]>;
}

interface Asking {
  request: Request;
  env: PublishingEnvironment;
  background: Background;
  /** Of the resolution. */
  token: string;
  /** What the calls cost is added to it. */
  cost: Cost;
  /** Keeps what is read at a path for all who would be given the same; undefined where nothing may be kept. */
  keep?: (<Answer>(path: string, read: () => Promise<Response | undefined>) => Promise<Answer | undefined>) | undefined;
}

export function siteApi({ request, env, background, token, cost, keep }: Asking): SiteApi {
  const { requestId, address } = readGatewayContext(request);
  const context = { requestId, address };
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const testKey = request.headers.get(testKeyHeader);
  if (testKey !== null) headers.set(testKeyHeader, testKey);
  const send = async (path: string, init: RequestInit): Promise<Response | undefined> => {
    const asked = new Request(new URL(path, env.OCTAVO_PUBLIC_URL), init);
    const isOwn = /^\/v1\/orgs\//.test(path);
    const answer = await (isOwn ? endpoints.fetch(asked, env, background) : forward(asked, env.CONTENT_API, context));
    addCost(cost, answer.headers);
    if (answer.ok || answer.status === 304) return answer;
    const text = await answer.text();
    if (answer.status === 404) return undefined;
    throw new Error(`The API answered ${answer.status} at ${path}: ${text.slice(0, 300)}`);
  };
  const ask = async <Answer>(path: string, init: RequestInit): Promise<Answer | undefined> =>
    (await send(path, init))?.json<Answer>();
  const spend = ({ value, cost: spent }: Metered<(string | null)[]>): (string | undefined)[] => {
    for (const field of ['trips', 'rowsRead', 'rowsWritten'] as const) cost[field] += spent[field];
    return value.map((text) => text ?? undefined);
  };
  const get: SiteApi['get'] = (path) => ask(path, { headers });
  const getShared = async <Answer>(path: string): Promise<Answer | undefined> => {
    const shared = await keep?.<Answer>(path, () => send(path, { headers }));
    return shared ?? get<Answer>(path);
  };
  return {
    ...{ get, getShared },
    texts: async (reading) => spend(await env.CONTENT.readShownTexts({ ...reading, token })),
    documents: async (reading) =>
      spend(await env.CONTENT.readShownDocuments({ ...reading, token })).map((text) =>
        text === undefined ? undefined : (JSON.parse(text) as ShownDocument),
      ),
    open: (path, heldTag) => send(path, { headers: holding(headers, heldTag) }),
    post: (path, body) => ask(path, sent(headers, body)),
  };
}

function holding(headers: Headers, tag: string | undefined): Headers {
  const all = new Headers(headers);
  if (tag !== undefined) all.set('if-none-match', tag);
  return all;
}

function sent(headers: Headers, body: object): RequestInit {
  const all = new Headers(headers);
  all.set('content-type', 'application/json');
  return { method: 'POST', headers: all, body: JSON.stringify(body) };
}
