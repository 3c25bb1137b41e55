import type { ContentSecurityPolicy } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';

/**
 * What a script may say: of the answer itself. Whatever else there is may speak for the platform's whole origin, and is
 * left out.
 */
const passed =
  /^(?:allow|cache-control|content-(?:disposition|language|location|type)|etag|expires|last-modified|link|location|pragma|vary|webhook-.*|x-.*)$/i;
/** Of these a server before the platform would take orders, or clients believe that the platform says it. */
const dropped =
  /^x-(?:accel-.*|sendfile.*|lighttpd-.*|litespeed-.*|reproxy-.*|middleware-.*|forwarded-.*|real-ip|ratelimit-.*|octavo-.*|request-id|dns-prefetch-control|permitted-cross-domain-policies)$/i;

/** What it serves is a document of no origin: nothing there has the platform's, or what a browser keeps for that. */
const sandbox =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';

const policyText = (policy: ContentSecurityPolicy | null): string => {
  if (policy === null) return '';
  return typeof policy === 'string'
    ? policy
    : Object.entries(policy)
        .map(([name, value]) => `${name} ${value}`)
        .join('; ');
};

/** One header, without what would end it or begin another policy. */
const inOneLine = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').replaceAll(',', ' ');

/** The platform's sandbox and the policies of the integration and of its script: all of them hold. */
function policiesOf(outcome: Extract<ScriptOutcome, { ok: true }>, policy: ContentSecurityPolicy | null): string {
  const own = outcome.headers
    .filter(([name]) => name.toLowerCase() === 'content-security-policy')
    .map(([, value]) => value);
  return [sandbox, policyText(policy), ...own]
    .map(inOneLine)
    .filter((each) => each.trim() !== '')
    .join(', ');
}

const statusOfFault = { timeout: 504, memory: 502, exception: 502, too_large: 502, busy: 503, unavailable: 503 };

/** What is told of a run that gave no answer: why, its owner reads in the log of events. */
function failed(fault: keyof typeof statusOfFault): Response {
  const status = statusOfFault[fault];
  const headers = { 'cache-control': 'no-store', ...(status === 503 ? { 'retry-after': '5' } : {}) };
  return new Response('The integration does not answer.\n', { status, headers });
}

/** Serves what a script answered to anybody, so that nothing of it runs as the platform's own. */
export function serveAnswer(outcome: ScriptOutcome, policy: ContentSecurityPolicy | null): Response {
  if (!outcome.ok) return failed(outcome.fault);
  const headers = new Headers(outcome.headers.filter(([name]) => passed.test(name) && !dropped.test(name)));
  headers.set('content-security-policy', policiesOf(outcome, policy));
  headers.set('cross-origin-resource-policy', 'cross-origin');
  headers.set('x-content-type-options', 'nosniff');
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  const { status } = outcome;
  const isBodiless = status === 204 || status === 205 || status === 304;
  return new Response(isBodiless ? null : (outcome.body as Uint8Array<ArrayBuffer>), { status, headers });
}
