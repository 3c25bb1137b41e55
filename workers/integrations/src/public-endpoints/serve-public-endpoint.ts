import { connect } from '@octavo/db';
import { discardBody, errorResponse, readBytes, toldOf, urlsOf } from '@octavo/runtime';
import type { ScriptEvent } from '@octavo/schema';
import { newId, notFound } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { callScript } from '../scripts/call-script.ts';
import type { ScriptTarget } from '../scripts/script-target.ts';
import { readTarget } from '../scripts/script-target.ts';
import type { EndpointPlace } from './endpoint-place.ts';
import { placeAt } from './endpoint-place.ts';
import { fetchEvent } from './fetch-event.ts';
import { serveAnswer } from './serve-answer.ts';

const maxBodyBytes = 5_000_000;
const scriptKeptSeconds = 300;

/** Whether somebody may ask there: nothing that is paused answers, and nothing where it is not installed. */
function isServed({ installed, onSpace, onSite }: ScriptTarget, place: EndpointPlace): boolean {
  const { installation, space, site, isPublishedScript } = place;
  if (installation !== undefined && (installed === undefined || installed.installation.status === 'paused'))
    return false;
  if (space !== undefined && (onSpace === undefined || onSpace.status === 'paused')) return false;
  if (site !== undefined && (onSite === undefined || onSite.status === 'paused')) return false;
  if (!isPublishedScript) return true;
  const isActive = installed?.installation.status === 'active' && onSite?.status === 'active';
  return isActive && installed.installation.scopes.includes('site:script:inject');
}

const scriptEvent = ({ installation = '', site = '' }: EndpointPlace): ScriptEvent => ({
  eventId: newId('event'),
  type: 'fetch_published_script',
  installationId: installation,
  siteId: site,
});

/** What pages of the site load: JavaScript, whatever its script calls it, that caches may keep for a while. */
function asScript(answer: Response): Response {
  if (answer.status !== 200) return answer;
  answer.headers.set('content-type', 'text/javascript; charset=utf-8');
  answer.headers.set('cache-control', `public, max-age=${scriptKeptSeconds}`);
  return answer;
}

async function serve(request: Request, env: IntegrationsEnvironment): Promise<Response> {
  const place = placeAt(new URL(request.url).pathname);
  if (place === undefined || (place.isPublishedScript && request.method !== 'GET')) throw notFound('path');
  const { db } = connect(env.DB, { intent: 'write' });
  const urls = urlsOf(env);
  const target = await readTarget(db, place);
  if (target === undefined || !isServed(target, place)) throw notFound('path');
  const { isPublishedScript: isFrequent } = place;
  const event = isFrequent ? scriptEvent(place) : await fetchEvent(request, env, place);
  const fetchBody = isFrequent || request.body === null ? null : await readBytes(request, maxBodyBytes);
  const outcome = await callScript({ env, db, urls }, target, { event, fetchBody, isFrequent });
  const answer = serveAnswer(outcome, target.shown.integration.contentSecurityPolicy);
  return isFrequent ? asScript(answer) : answer;
}

/** Answers what is asked of integrations at their public addresses, by anybody: their scripts do. */
export async function servePublicEndpoint(request: Request, env: IntegrationsEnvironment): Promise<Response> {
  try {
    return await serve(request, env);
  } catch (error) {
    await discardBody(request);
    return errorResponse(error, toldOf(request).requestId);
  }
}
