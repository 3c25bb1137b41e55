import { renderPage } from '@octavo/reader';
import { html, htmlPage } from '@octavo/runtime';
import { loadView } from './load-view.ts';
import { assetAddresses } from './reader-files.ts';
import type { SiteVisit } from './site-visit.ts';

export const missingPage = (): Response =>
  htmlPage({ title: 'There is no such page', body: html`<p>Nothing is at this address.</p>`, status: 404 });

/** Answers with a page as HTML. */
export async function servePage({ env, content, api }: SiteVisit): Promise<Response> {
  const view = await loadView({ content, api, assets: await assetAddresses(env) });
  if (view === undefined) return missingPage();
  const { html: body, style } = renderPage(view);
  return new Response(body, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': await policyOf(style),
      'cache-control': 'private, no-cache',
    },
  });
}

/** What a page may load: from its own site, and the one style that stands in it. */
async function policyOf(style: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${hash}'`,
    "img-src 'self' https: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
