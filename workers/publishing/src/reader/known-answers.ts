import { testKeyHeader } from '@octavo/runtime';
import { endOfDay } from '../resolution/visitors.ts';
import { answerHeld, answerKept, type KeptAnswer, type Shared } from './kept-answers.ts';
import { asksForMarkdown } from './machine/markdown-page.ts';
import type { SiteCache } from './site-cache.ts';

/** What was answered to whom nothing is known of, at a state of the database. */
interface KnownAnswer {
  state: string;
  expires: number;
  site: string;
  key: string;
  shared: Shared;
}

const maxKnown = 2000;
const maxUrlLength = 1000;
const known = new Map<string, KnownAnswer>();

/** Headers by which an answer may be another one; nothing of a site follows from a token of the API. */
const personal = ['cookie', testKeyHeader];

function nameOf(request: Request): string | undefined {
  const { method, headers, url } = request;
  const isPlain = (method === 'GET' || method === 'HEAD') && url.length <= maxUrlLength;
  if (!isPlain || personal.some((name) => headers.has(name))) return undefined;
  return `${asksForMarkdown(request) ? 'markdown' : 'html'} ${url}`;
}

/** Notes what a request was answered, where the database tells its state from all others. */
export function noteAnswer(
  request: Request,
  state: string | undefined,
  answer: Omit<KnownAnswer, 'state' | 'expires'>,
): void {
  const name = state === undefined ? undefined : nameOf(request);
  if (state === undefined || name === undefined) return;
  known.delete(name);
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= maxKnown) known.delete(oldest);
  known.set(name, { ...answer, state, expires: endOfDay(Date.now()) });
}

/** What a request was answered before, where nothing has been written since; undefined where that is not known. */
export function findKnown(request: Request, state: string, pages: SiteCache<KeptAnswer>): Response | undefined {
  const name = nameOf(request);
  const found = name === undefined ? undefined : known.get(name);
  if (found?.state !== state || found.expires !== endOfDay(Date.now())) return undefined;
  const held = answerHeld(request, found.shared);
  if (held !== undefined) return held;
  const kept = pages.find(found.site, found.key);
  return kept === undefined ? undefined : answerKept(request, kept, found.shared);
}
