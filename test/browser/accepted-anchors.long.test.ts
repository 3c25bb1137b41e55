import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { paginate } from '@octavo/client';
import { getAnchorNames } from '@octavo/markdown';
import type { LinkItem, List } from '@octavo/schema';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createCommandLine, withTree } from '../cli/octavo.ts';
import { json } from '../support/content.ts';
import { getShare } from '../support/random.ts';
import { anchorForms, missingIds } from './anchor-forms.ts';
import { setUpBrowsedSite } from './browsed-site.ts';

const root = path.resolve(import.meta.dirname, '../..');
const isMarkdown = (file: string): boolean => /\.mdx?$/.test(file);

/** Returns the subfolders that contain Markdown. Returns none if the folder is not on this machine. */
function findCases(folder: string): string[] {
  const at = path.join(root, folder);
  if (!existsSync(at)) return [];
  const cases = readdirSync(at).map((name) => path.join(folder, name));
  return cases.filter((each) =>
    readdirSync(path.join(root, each), { recursive: true, encoding: 'utf8' }).some(isMarkdown),
  );
}

const folders = [
  'docs',
  ...['npm/docs/content', 'fastify/docs', 'undici/docs/docs', 'pino/docs', 'gitbook/docs', 'create-docusaurus'].map(
    (folder) => `test/node_modules/${folder}`,
  ),
  ...getShare(findCases('../shared/data/cases'), 4),
];

const { open } = setUpBrowsedSite(async () => '');

interface Links {
  /** The anchors that links use, by the URL of their page. */
  accepted: Map<string, Set<string>>;
  /** The anchors that are reported as broken. */
  broken: string[];
}

/** Publishes a folder, and returns the anchors that its links use. */
async function publish(folder: string): Promise<Links> {
  const { octavo, token, organization } = await createCommandLine();
  const { code, stdout, stderr } = await octavo('publish', folder, '--organization', organization, '--json');
  expect(code, `${folder}: ${stderr}`).toBe(0);
  const { space, site } = JSON.parse(stdout) as { space: string; site: { url: string } };
  const links: Links = { accepted: new Map(), broken: [] };
  const items = paginate((page) =>
    json<List<LinkItem>>(`/v1/spaces/${space}/links?limit=1000${page === undefined ? '' : `&page=${page}`}`, { token }),
  );
  for await (const item of items) addLink(links, item, site.url);
  return links;
}

/** Adds a link with an anchor, unless browsers or applications interpret the anchor. */
function addLink({ accepted, broken }: Links, { status, targetReference }: LinkItem, site: string): void {
  if (targetReference?.kind !== 'page' || targetReference.internalLocation?.type !== 'anchor') return;
  const { anchor } = targetReference.internalLocation;
  const address = `${site}${'path' in targetReference.page ? targetReference.page.path : ''}`;
  if (status === 'broken') broken.push(anchor);
  else if (getAnchorNames(anchor).length > 0) accepted.set(address, (accepted.get(address) ?? new Set()).add(anchor));
}

/**
 * Script for the browser that returns the anchors to which the page does not scroll. It adds a large space before and
 * after the content and after dividers, so that no anchor is visible at first. If a paragraph announces an anchor, the
 * paragraph must be visible after scrolling.
 */
const findMissed = `async (anchors) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(\`
    main::before, main::after { content: ""; display: block; height: 3000px }
    main hr { margin-bottom: 2000px }\`);
  document.adoptedStyleSheets.push(sheet);
  const paragraphs = new Map([...document.querySelectorAll('main p')].map((each) => [each.textContent, each]));
  const missed = [];
  for (const anchor of anchors) {
    scrollTo(0, 0);
    const changed = new Promise((done) => addEventListener('hashchange', done, { once: true }));
    location.hash = '#' + anchor;
    await changed;
    const top = paragraphs.get('Before ' + anchor)?.getBoundingClientRect().top ?? 0;
    if (scrollY < 2000 || top < -500 || top > 500) missed.push(anchor);
  }
  return missed;
}`;

async function findMissingAnchors(page: Page, accepted: [address: string, anchors: Set<string>][]): Promise<string[]> {
  const missed: string[] = [];
  for (const [address, anchors] of accepted) {
    await page.goto(address, { waitUntil: 'domcontentloaded' });
    const names = await page.evaluate<string[]>(`(${findMissed})(${JSON.stringify([...anchors])})`);
    missed.push(...names.map((name) => `${address}#${name}`));
  }
  return missed;
}

/** Number of pages that load at the same time. */
const tabs = 3;

test('pages scroll to every anchor of a link that is not reported as broken', { timeout: 300_000 }, async () => {
  const forms = await withTree(anchorForms, publish);
  const others = await Promise.all(folders.map((folder) => publish(path.join(root, folder))));
  const accepted = [forms, ...others].flatMap((links) => [...links.accepted]);
  const missed = await Promise.all(
    Array.from({ length: tabs }, async (_, tab) => {
      const page = await open('about:blank');
      return findMissingAnchors(
        page,
        accepted.filter((__, index) => index % tabs === tab),
      );
    }),
  );

  expect(missed.flat()).toEqual([]);
  expect(forms.broken.toSorted()).toEqual(missingIds.toSorted());
  expect(accepted.flatMap(([, anchors]) => [...anchors]).length).toBeGreaterThan(500);
});
