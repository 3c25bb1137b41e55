import { createHtmlPage, errorResponse, hashText, html, takeCaller } from '@octavo/runtime';
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
  'sign-ins': new Limiter('sign-ins'),
});
const limiters = createLimiters();
/** Apart, so that many made-up tokens of visitors never make users forgotten. */
const limitersOfVisitors = createLimiters();
/** Apart, so that many tokens of one network never make it forgotten. */
const wrongTokens = new Limiter('wrong-tokens');
const wrongNetworks = new Limiter('wrong-tokens');

/** Whose the tokens are that were right lately, by their hashes; the oldest are forgotten. */
const users = new Map<string, string>();
const maxUsers = 10_000;

interface Visit extends SenderHeaders {
  pathname: string;
  kind: keyof Limiters;
  env: GatewayEnvironment;
  requestId: string;
}

/**
 * Lets a request through unless there were too many of its kind: from its user, by any token; else by the token, or from
 * the network where that is known. Nobody whose token was right lately is held up by what others send.
 * What `send` gives must have headers that can be changed.
 */
export async function admit(visit: Visit, send: () => Promise<Response>): Promise<Response> {
  const sender = await identifySender(visit);
  const blocked = isBlockedByWrongTokens(visit, sender);
  if (blocked !== undefined) return rejectRequest(visit, blocked);
  const counted = await countByKey(visit, sender);
  if (counted?.isOver) return rejectRequest(visit, counted);
  const response = await send();
  const user = takeCaller(response);
  const learned =
    sender.token === undefined ? undefined : await rememberSender(visit, sender, { user, status: response.status });
  setLimitHeaders(response, learned ?? counted);
  return response;
}

const rejectRequest = ({ kind, requestId }: Visit, counted: CountResult): Response => {
  const error = createTooMany(counted);
  const response = kind === 'sign-ins' ? createErrorPage(error) : errorResponse(error, requestId);
  setCountHeaders(response.headers, counted);
  return response;
};

/** Sign-ins are opened in browsers, for a person to read. */
function createErrorPage({ message, retryAfter }: ApiError): Response {
  const page = createHtmlPage({ title: 'Too many sign-in attempts', body: html`<p>${message}</p>`, status: 429 });
  page.headers.set('retry-after', String(retryAfter));
  return page;
}

/** One that was refused further on for a limit of its own tells of that alone. */
function setLimitHeaders({ headers, status }: Response, counted: CountResult | undefined): void {
  if (counted !== undefined && status !== 429) setCountHeaders(headers, counted);
}

const countRequest = async ({ kind, env }: Visit, key: string | undefined): Promise<CountResult | undefined> =>
  key === undefined ? undefined : limiters[kind].take(env, key);

const countByKey = async (visit: Visit, sender: Sender): Promise<CountResult | undefined> =>
  sender.visitor === undefined
    ? countRequest(visit, await getKey(visit, sender))
    : limitersOfVisitors[visit.kind].take(visit.env, sender.visitor);

/** Undefined where nothing is known of the client that somebody else could not be held up by. */
async function getKey({ kind, pathname }: Visit, { token, network }: Sender): Promise<string | undefined> {
  if (token) return users.get(token) ?? token;
  if (network !== undefined) return network;
  return kind === 'sign-ins' && pathname.startsWith('/sign-in/') ? hashText(pathname) : undefined;
}

function isBlockedByWrongTokens({ env }: Visit, { token, network }: Sender): CountResult | undefined {
  if (token === undefined || users.has(token)) return undefined;
  const ofNetwork = network === undefined ? undefined : wrongNetworks.usedUp(env, network);
  return ofNetwork ?? (token === '' ? undefined : wrongTokens.usedUp(env, token));
}

/** Notes of a token whose it is, or that it is wrong; gives what is to be told then. */
async function rememberSender(
  visit: Visit,
  { token = '', network }: Sender,
  { user, status }: { user: UserId | undefined; status: number },
): Promise<CountResult | undefined> {
  if (user !== undefined && users.get(token) !== user) {
    const [oldest] = users.keys();
    if (oldest !== undefined && users.size >= maxUsers) users.delete(oldest);
    users.set(token, user);
    return countRequest(visit, user);
  }
  if (status !== 401) return undefined;
  users.delete(token);
  const ofToken = token === '' ? undefined : await wrongTokens.take(visit.env, token);
  return network === undefined ? ofToken : wrongNetworks.take(visit.env, network);
}
