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
  const { html: body, style, script } = renderPage(view);
  return new Response(body, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': await policyOf(style, script),
      'cache-control': 'private, no-cache',
    },
  });
}

/** What stands in a page, as its policy names it. */
async function sourceOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

/** What a page may load: from its own site, and the one style that stands in it. */
async function policyOf(style: string, script: string): Promise<string> {
  return [
    "default-src 'none'",
    `script-src 'self' ${await sourceOf(script)}`,
    `style-src 'self' ${await sourceOf(style)}`,
    "img-src 'self' https: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
