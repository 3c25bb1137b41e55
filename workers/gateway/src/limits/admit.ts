import { createErrorResponse, createHtmlPage, hashText, html, takeCaller } from '@octavo/runtime';
import type { ApiError, RateKind, UserId } from '@octavo/schema';
import type { GatewayEnvironment } from '../environment.ts';
import type { CountResult } from './limiter.ts';
import { createTooMany, Limiter, setCountHeaders } from './limiter.ts';
import type { Sender, SenderHeaders } from './sender.ts';
import { identifySender } from './sender.ts';

type Limiters = { [Kind in Exclude<RateKind, 'wrong-tokens'>]: Limiter };
const createLimiters = (): Limiters => ({
  requests: new Limiter('requests'),
  searches: new Limiter('searches'),
  jobs: new Limiter('jobs'),
  ratings: new Limiter('ratings'),
  'sign-ins': new Limiter('sign-ins'),
});
const limiters = createLimiters();
/** Separate, so that many invented visitor tokens do not evict the counts of users. */
const limitersOfVisitors = createLimiters();
/** Counts of readers and other senders without a user: by site, and in total. */
const sharedLimiters = createLimiters();
/**
 * All readers of one site together may send this many times as much as one reader, and so may the readers of all sites
 * together.
 */
const sharedFactors = { site: 10, total: 100 };
const total = 'total';

/** Separate limiters, so that wrong tokens from one network do not evict the count of the network. */
const wrongTokens = new Limiter('wrong-tokens');
const wrongNetworks = new Limiter('wrong-tokens');

/** The users of recently valid tokens, by token hash. The oldest entries are evicted. */
const users = new Map<string, string>();
const maxUsers = 10_000;

interface Visit extends SenderHeaders {
  pathname: string;
  kind: keyof Limiters;
  /** The site whose page is requested. */
  site: string | undefined;
  env: GatewayEnvironment;
  requestId: string;
  /** `admit` sets the user that the response names. */
  client: { user?: UserId };
  /** Returns a response that names the user of the token. */
  identify: () => Promise<Response>;
}

/**
 * Sends a request unless its user has reached the limit for this kind, counted over all of the user's tokens. Requests
 * without a known user are counted by token, or by network if it is known. Requests without a user's token are also
 * counted by site and in total, because a reader can get new visitor tokens and addresses. Other senders cannot block a
 * caller whose token was recently valid. The response of `send` must have mutable headers.
 */
export async function admit(visit: Visit, send: () => Promise<Response>): Promise<Response> {
  const sender = await identifySender(visit);
  const blocked = isBlockedByWrongTokens(visit, sender);
  if (blocked !== undefined) return rejectRequest(visit, blocked);
  await learnUser(visit, sender);
  const result = await countByKey(visit, sender);
  if (result?.isOverLimit) return rejectRequest(visit, result);
  const shared = await countShared(visit, sender);
  if (shared?.isOverLimit) return rejectRequest(visit, shared);
  const response = await send();
  // A site is counted only now, because anyone can send invalid tokens that name it.
  if (sender.site !== undefined && response.status !== 401)
    await sharedLimiters[visit.kind].take(visit.env, sender.site, sharedFactors.site);
  const user = takeCaller(response);
  if (user !== undefined) visit.client.user = user;
  const learned =
    sender.token === undefined ? undefined : await rememberSender(visit, sender, { user, status: response.status });
  setLimitHeaders(response, learned ?? result);
  return response;
}

const rejectRequest = ({ kind, requestId }: Visit, count: CountResult): Response => {
  const error = createTooMany(count);
  const response = kind === 'sign-ins' ? createErrorPage(error) : createErrorResponse(error, requestId);
  setCountHeaders(response.headers, count);
  return response;
};

/** Sign-in pages are opened in browsers, so their error is a page. */
function createErrorPage({ message, retryAfter }: ApiError): Response {
  const page = createHtmlPage({ title: 'Too many sign-in attempts', body: html`<p>${message}</p>`, status: 429 });
  page.headers.set('retry-after', String(retryAfter));
  return page;
}

/** If another limit has rejected the request, the response reports only that limit. */
function setLimitHeaders({ headers, status }: Response, count: CountResult | undefined): void {
  if (count !== undefined && status !== 429) setCountHeaders(headers, count);
}

const countRequest = async ({ kind, env }: Visit, key: string | undefined): Promise<CountResult | undefined> =>
  key === undefined ? undefined : limiters[kind].take(env, key);

const countByKey = async (visit: Visit, sender: Sender): Promise<CountResult | undefined> =>
  sender.visitor === undefined || sender.network !== undefined
    ? countRequest(visit, await getKey(visit, sender))
    : limitersOfVisitors[visit.kind].take(visit.env, sender.visitor);

/**
 * Counts a request without a user by its site and in total. Returns the count that is over its limit, if there is one.
 */
async function countShared({ kind, env, site }: Visit, sender: Sender): Promise<CountResult | undefined> {
  if (sender.token !== undefined || kind === 'sign-ins') return undefined;
  const limiter = sharedLimiters[kind];
  const ofSite =
    site === undefined
      ? sender.site && limiter.countExceeded(env, sender.site, sharedFactors.site)
      : await limiter.take(env, site, sharedFactors.site);
  if (ofSite && (site === undefined || ofSite.isOverLimit)) return { ...ofSite, isOverLimit: true };
  return limiter.take(env, total, sharedFactors.total);
}

/**
 * Learns the user of a token before its first search or job. Otherwise the first request of each new token would be
 * counted separately. Requests of the kind `requests` need no lookup, because each new token already costs the request
 * that creates it.
 */
async function learnUser({ kind, identify }: Visit, { token }: Sender): Promise<void> {
  if (!token || users.has(token) || (kind !== 'searches' && kind !== 'jobs')) return;
  const response = await identify();
  await response.body?.cancel();
  const user = takeCaller(response);
  if (user !== undefined) rememberUser(token, user);
}

/**
 * Returns the key under which requests of a client are counted. Undefined if the client has no property that
 * distinguishes it from others, so that others cannot block it.
 */
async function getKey({ kind, pathname }: Visit, { token, network }: Sender): Promise<string | undefined> {
  if (token) return users.get(token) ?? token;
  if (network !== undefined) return network;
  return kind === 'sign-ins' && pathname.startsWith('/sign-in/') ? hashText(pathname) : undefined;
}

function isBlockedByWrongTokens({ env }: Visit, { token, network }: Sender): CountResult | undefined {
  if (token === undefined || users.has(token)) return undefined;
  const ofNetwork = network === undefined ? undefined : wrongNetworks.countExceeded(env, network);
  return ofNetwork ?? (token === '' ? undefined : wrongTokens.countExceeded(env, token));
}

function rememberUser(token: string, user: UserId): void {
  const [oldest] = users.keys();
  if (oldest !== undefined && users.size >= maxUsers) users.delete(oldest);
  users.set(token, user);
}

/** Remembers the user of a token, or that the token is wrong. Returns the count to report. */
async function rememberSender(
  visit: Visit,
  { token = '', network }: Sender,
  { user, status }: { user: UserId | undefined; status: number },
): Promise<CountResult | undefined> {
  if (user !== undefined && users.get(token) !== user) {
    rememberUser(token, user);
    return countRequest(visit, user);
  }
  if (status !== 401) return undefined;
  users.delete(token);
  const ofToken = token === '' ? undefined : await wrongTokens.take(visit.env, token);
  return network === undefined ? ofToken : wrongNetworks.take(visit.env, network);
}
