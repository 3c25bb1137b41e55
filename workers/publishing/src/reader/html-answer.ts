import type { RenderedPage } from '@octavo/reader';
import type { PublishingEnvironment } from '../environment.ts';

/** What stands in a page, as its policy names it. */
async function sourceOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

/** What a page may load: from its own site, files from the server's, and the style and the script that stand in it. */
const policyOf = async ({ style, script, fonts, frames }: RenderedPage, files: string): Promise<string> =>
  [
    "default-src 'none'",
    `script-src 'self' ${await sourceOf(script)}`,
    `style-src 'self' ${await sourceOf(style)}`,
    `img-src 'self' ${files} https: data:`,
    `font-src ${["'self'", ...fonts].join(' ')}`,
    "connect-src 'self'",
    ...(frames.length === 0 ? [] : [`frame-src ${frames.join(' ')}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A page as an answer. */
export async function htmlAnswer(
  { OCTAVO_PUBLIC_URL }: PublishingEnvironment,
  page: RenderedPage,
  { status = 200, isIndexed = true } = {},
): Promise<Response> {
  return new Response(page.html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': await policyOf(page, new URL(OCTAVO_PUBLIC_URL).origin),
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      ...(isIndexed ? {} : { 'x-robots-tag': 'noindex' }),
    },
  });
}
