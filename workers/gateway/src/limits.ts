import type { Count } from '@octavo/runtime';
import {
  createErrorResponse,
  createHtmlPage,
  getClaimedSite,
  getNetwork,
  hashBearerToken,
  hashText,
  html,
  isOverLimit,
  isVisitorToken,
  LruMap,
  RequestWindows,
  removeCallerHeader,
} from '@octavo/runtime';
import type { ApiError, RateKind, RateLimits, UserId } from '@octavo/schema';
import { rateLimited, ratePeriodSeconds, readRateLimits } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';

/** The identity of a sender, as far as the request itself shows it. */
interface Sender {
  /** The hash of the token, valid or not; '' for another form of authorization. */
  token: string | undefined;
  /** The hash of a visitor token, valid or not. A reader can get any number of them, with different claims. */
  visitor?: string;
  /** The site that a visitor token names. Nothing is verified here. */
  site?: string | undefined;
  /** The network of the client's address, if it is known. */
  network: string | undefined;
}

/** The properties of a request that identify its sender. */
interface SenderHeaders {
  kind: keyof Limiters;
  authorization: string | null;
  /** The trusted address of the client. */
  address: string | undefined;
}

/** Sign-in pages ignore `Authorization`, so a request with another token in it must not avoid their limits. */
async function identifySender({ kind, authorization: sent, address }: SenderHeaders): Promise<Sender> {
  const authorization = kind === 'sign-ins' ? null : sent;
  const network = address === undefined ? undefined : getNetwork(address);
  if (authorization !== null && isVisitorToken(authorization)) {
    const visitor = await hashText(authorization.slice('Bearer '.length));
    return { token: undefined, visitor, site: getClaimedSite(authorization), network };
  }
  const token = await hashBearerToken(authorization);
  return { token: token ?? (authorization === null ? undefined : ''), network };
}

const maxKeys = 10_000;

interface CountResult extends Count {
  kind: RateKind;
  isOverLimit: boolean;
}

/** Counts the requests of one kind per minute, and uses the platform's rate limiter if there are many isolates. */
class Limiter {
  readonly kind: RateKind;
  readonly #windows = new RequestWindows(maxKeys);

  constructor(kind: RateKind) {
    this.kind = kind;
  }

  /**
   * Counts a request for a key. Returns undefined if it is not limited. A key that many senders share has a multiple of
   * the limit.
   */
  async count(env: GatewayEnvironment, key: string, factor = 1): Promise<CountResult | undefined> {
    const limit = getLimits(env)[this.kind] * factor;
    if (limit === 0) return undefined;
    const count = this.#windows.countRequest(key, limit, Date.now());
    if (factor > 1 || isOverLimit(count) || (await this.#isUnderLimit(env, key))) return this.#toResult(count);
    return this.#toResult(this.#windows.exhaust(key, limit, Date.now()));
  }

  /** Returns the count of a key that has used up its limit, otherwise undefined. */
  countExceeded(env: GatewayEnvironment, key: string, factor = 1): CountResult | undefined {
    const limit = getLimits(env)[this.kind] * factor;
    const count = this.#windows.peek(key, limit, Date.now());
    return limit > 0 && count.count >= limit ? this.#toResult(count) : undefined;
  }

  #toResult(count: Count): CountResult {
    return { ...count, kind: this.kind, isOverLimit: isOverLimit(count) };
  }

  /**
   * Whether the platform's own rate limiter allows the request. On one machine, the only isolate counts all requests,
   * so no other limiter is needed. On Cloudflare, the binding counts the requests in one Cloudflare location.
   */
  async #isUnderLimit(env: GatewayEnvironment, key: string): Promise<boolean> {
    const binding = env.OCTAVO_ONE_ISOLATE === '1' || this.kind === 'requests' ? undefined : env[bindings[this.kind]];
    return binding === undefined || (await binding.limit({ key })).success;
  }
}

const bindings = {
  searches: 'LIMIT_SEARCHES',
  jobs: 'LIMIT_JOBS',
  ratings: 'LIMIT_RATINGS',
  'sign-ins': 'LIMIT_SIGN_INS',
  'wrong-tokens': 'LIMIT_WRONG_TOKENS',
} as const;

let cachedLimits: { setting: string; limits: RateLimits } | undefined;

function getLimits({ OCTAVO_RATE_LIMITS: setting = '' }: GatewayEnvironment): RateLimits {
  if (cachedLimits?.setting !== setting) cachedLimits = { setting, limits: readRateLimits(setting) };
  return cachedLimits.limits;
}

/**
 * Reports to the client how much of the limit is used, in the headers of GitBook's API and in those of the proposed
 * standard.
 */
function setCountHeaders(headers: Headers, { kind, limit, count, ends }: CountResult): void {
  const remaining = String(Math.max(0, limit - count));
  headers.set('x-ratelimit-limit', String(limit));
  headers.set('x-ratelimit-remaining', remaining);
  headers.set('x-ratelimit-reset', String(Math.ceil(ends / 1000)));
  headers.set('ratelimit-policy', `"${kind}";q=${limit};w=${ratePeriodSeconds}`);
  headers.set('ratelimit', `"${kind}";r=${remaining};t=${getSecondsUntil(ends)}`);
}

const getSecondsUntil = (ends: number): number => Math.max(1, Math.ceil((ends - Date.now()) / 1000));

function createTooMany({ kind, limit, ends }: CountResult): ApiError {
  const seconds = getSecondsUntil(ends);
  return rateLimited(
    `Rate limit of ${limit} ${kind.replace('-', ' ')} per minute exceeded. Try again in ${seconds} s.`,
    seconds,
  );
}

type Limiters = { [Kind in Exclude<RateKind, 'wrong-tokens'>]: Limiter };
const createLimiters = (): Limiters => ({
  requests: new Limiter('requests'),
  searches: new Limiter('searches'),
  jobs: new Limiter('jobs'),
  ratings: new Limiter('ratings'),
  'sign-ins': new Limiter('sign-ins'),
});
const limiters = createLimiters();
/** Visitor tokens have separate limiters, so that many invented tokens do not evict the counts of users. */
const limitersOfVisitors = createLimiters();
/** Counts of readers and other senders without a user: by site, and in total. */
const sharedLimiters = createLimiters();
/**
 * The readers of one site together, and the readers of all sites together, may send this many times as much as one
 * reader.
 */
const sharedFactors = { site: 10, total: 100 };
const total = 'total';

/** Separate limiters, so that wrong tokens from one network do not evict the count of the network. */
const wrongTokens = new Limiter('wrong-tokens');
const wrongNetworks = new Limiter('wrong-tokens');

const maxUsers = 10_000;
/** The users of recently valid tokens, by token hash. */
const users = new LruMap<string>(maxUsers);

interface Visit extends SenderHeaders {
  pathname: string;
  /** The site whose page is requested. */
  site: string | undefined;
  env: GatewayEnvironment;
  requestId: string;
  /** The sender, for the log. `admit` sets `user` to the user that the response names. */
  client: { user?: UserId };
  /** Returns a response that names the user of the token. */
  identify: () => Promise<Response>;
}

/**
 * Sends a request unless its user has reached the limit for this kind of request. The limit counts all tokens of the
 * user. Requests without a known user are counted by token, or by network if it is known. Requests without a user's
 * token are also counted by site and in total, because a reader can get new visitor tokens and addresses. Other senders
 * cannot block a caller whose token was recently valid. The response of `send` must have mutable headers.
 */
export async function admit(visit: Visit, send: () => Promise<Response>): Promise<Response> {
  const sender = await identifySender(visit);
  const blocked = findWrongTokenLimit(visit, sender);
  if (blocked !== undefined) return rejectRequest(visit, blocked);
  await learnUser(visit, sender);
  const result = await countByKey(visit, sender);
  if (result?.isOverLimit) return rejectRequest(visit, result);
  const shared = await countSharedRequest(visit, sender);
  if (shared?.isOverLimit) return rejectRequest(visit, shared);
  const response = await send();
  // The site is counted only after the response, because anyone can send invalid tokens that name a site.
  if (sender.site !== undefined && response.status !== 401)
    await sharedLimiters[visit.kind].count(visit.env, sender.site, sharedFactors.site);
  const user = removeCallerHeader(response);
  if (user !== undefined) visit.client.user = user;
  const learned =
    sender.token === undefined ? undefined : await cacheSender(visit, sender, { user, status: response.status });
  setLimitHeaders(response, learned ?? result);
  return response;
}

/** Sends a call of an operator, unless its network has sent too many calls that were not accepted. */
export async function admitOperator(
  { env, address, requestId }: Pick<Visit, 'env' | 'address' | 'requestId'>,
  send: () => Promise<Response>,
): Promise<Response> {
  const network = address === undefined ? undefined : getNetwork(address);
  if (network === undefined) return send();
  const blocked = wrongNetworks.countExceeded(env, network);
  if (blocked !== undefined) return rejectRequest({ kind: 'requests', requestId }, blocked);
  const response = await send();
  if (response.status === 404) await wrongNetworks.count(env, network);
  return response;
}

const rejectRequest = ({ kind, requestId }: Pick<Visit, 'kind' | 'requestId'>, count: CountResult): Response => {
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
  key === undefined ? undefined : limiters[kind].count(env, key);

const countByKey = async (visit: Visit, sender: Sender): Promise<CountResult | undefined> =>
  sender.visitor === undefined || sender.network !== undefined
    ? countRequest(visit, await getKey(visit, sender))
    : limitersOfVisitors[visit.kind].count(visit.env, sender.visitor);

/**
 * Counts a request without a user by its site and in total. Returns the count that is over its limit, if there is one.
 * A sign-in that is counted by network or link is not counted in total, so that others cannot block it.
 */
async function countSharedRequest(visit: Visit, sender: Sender): Promise<CountResult | undefined> {
  const { kind, env, site } = visit;
  if (sender.token !== undefined || (kind === 'sign-ins' && (await getKey(visit, sender)) !== undefined))
    return undefined;
  const limiter = sharedLimiters[kind];
  const ofSite =
    site === undefined
      ? sender.site && limiter.countExceeded(env, sender.site, sharedFactors.site)
      : await limiter.count(env, site, sharedFactors.site);
  if (ofSite && (site === undefined || ofSite.isOverLimit)) return { ...ofSite, isOverLimit: true };
  return limiter.count(env, total, sharedFactors.total);
}

/**
 * Looks up the user of a token before its first search or job. Otherwise the first request of each new token would be
 * counted separately. Requests of the kind `requests` need no lookup, because the creation of each new token already
 * counts as such a request.
 */
async function learnUser({ kind, identify }: Visit, { token }: Sender): Promise<void> {
  if (!token || users.get(token) !== undefined || (kind !== 'searches' && kind !== 'jobs')) return;
  const response = await identify();
  await response.body?.cancel();
  const user = removeCallerHeader(response);
  if (user !== undefined) users.set(token, user);
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

function findWrongTokenLimit({ env }: Visit, { token, network }: Sender): CountResult | undefined {
  if (token === undefined || users.get(token) !== undefined) return undefined;
  const ofNetwork = network === undefined ? undefined : wrongNetworks.countExceeded(env, network);
  return ofNetwork ?? (token === '' ? undefined : wrongTokens.countExceeded(env, token));
}

/** Remembers the user of a token, or that the token is wrong. Returns the count to report. */
async function cacheSender(
  visit: Visit,
  { token = '', network }: Sender,
  { user, status }: { user: UserId | undefined; status: number },
): Promise<CountResult | undefined> {
  if (user !== undefined && users.get(token) !== user) {
    users.set(token, user);
    return countRequest(visit, user);
  }
  if (status !== 401) return undefined;
  users.delete(token);
  const ofToken = token === '' ? undefined : await wrongTokens.count(visit.env, token);
  return network === undefined ? ofToken : wrongNetworks.count(visit.env, network);
}
