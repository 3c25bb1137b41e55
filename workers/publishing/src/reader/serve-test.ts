import { getReferenceTexts, getTestOrigins, readServers, renderTestPage, toHref } from '@octavo/reader';
import { buildContentPolicy, type WebOrigin } from '@octavo/schema';
import { findOperation, getOwnProperty, getTextAt, type JsonObject } from '@octavo/specification';
import { createEmptyView, loadShell } from './load-view.ts';
import { createNotFoundPage } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';
import { createSpecificationReader, extractParts } from './specifications.ts';

/**
 * Content security policy of the page for testing an operation. It allows inline styles, which the client needs, and
 * sandboxes the page: with an opaque origin it can read neither the site nor what the site stores in the browser.
 */
const createPolicy = (origins: WebOrigin[]): string =>
  buildContentPolicy({
    sandbox: ['allow-scripts', 'allow-forms', 'allow-popups', 'allow-downloads'],
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': origins,
    'worker-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  });

const isHidden = (value: JsonObject): boolean => getOwnProperty(value, 'x-hideTryItPanel') === true;

/** Serves the page for testing an operation of a specification that the visitor may read. */
export async function serveTest(visit: SiteVisit): Promise<Response> {
  const { url, content, api, env, background } = visit;
  const [spec = '', method = '', path = ''] = ['spec', 'method', 'path'].map(
    (name) => url.searchParams.get(name) ?? '',
  );
  const shell = spec === '' ? undefined : await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const { id: revision, files } = shell.revision;
  const readSpecification = createSpecificationReader(content.organization, api, {
    ...{ site: content.site, space: content.space, revision, files, env, background },
  });
  const specification = await readSpecification(spec);
  if (specification === undefined) return createNotFoundPage();
  const document = await extractParts(specification, { operations: [{ path, method }], webhooks: [], schemas: [] });
  const operation = findOperation(document, { key: 'paths', name: path, method });
  if (operation === undefined || isHidden(operation.operation) || isHidden(document)) return createNotFoundPage();
  const origins = getTestOrigins(readServers(document, operation));
  if (origins.length === 0) return createNotFoundPage();
  const view = createEmptyView(shell, `${shell.view.base}~/test`, '');
  const texts = getReferenceTexts(view.site.customization.internationalization.locale);
  const page = renderTestPage({
    title: `${texts.testTitle}: ${getTextAt(operation.operation, 'summary') ?? `${method.toUpperCase()} ${path}`}`,
    language: view.site.language,
    document,
    client: toHref(view, view.assets.file('api-client.js')) ?? '',
    opener: toHref(view, view.assets.file('test-page.js')) ?? '',
    needsScripts: texts.needsScripts,
    unreachable: texts.unreachable,
  });
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': createPolicy(origins),
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-store',
    },
  });
}
