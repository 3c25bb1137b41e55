import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { getTargetsByText, listPageLinks, listSpaceLinks } from './link-client.ts';

/** A page in the model: its position, and the pages that its targets resolved to when it was last written. */
interface Page {
  id: string;
  parent: Page | undefined;
  slug: string;
  path: string;
  isLive: boolean;
  targets: string[];
  kept: Map<string, Page>;
}

const paths = ['a.md', 'b.md', 'x/a.md', 'x/b.md', 'x/README.md'];
const written = [
  'a.md',
  './b.md',
  '../a.md',
  'x/a.md',
  'x',
  '/x/b.md',
  'a.html',
  'none.md',
  '/pages/s1',
  '/pages/s1/s2',
];
const slugs = ['s1', 's2', 's3'];

const step = fc.record({
  action: fc.constantFrom('insert', 'write', 'write', 'path', 'slug', 'move', 'delete'),
  page: fc.nat(50),
  other: fc.nat(50),
  word: fc.nat(50),
  targets: fc.subarray(written, { minLength: 1 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A naive model of pages and the links between them. */
class Model {
  readonly pages: Page[] = [];

  get live(): Page[] {
    return this.pages.filter(({ isLive }) => isLive);
  }

  at = (path: string): Page | undefined =>
    this.live.filter((page) => page.path === path).sort((one, other) => (one.id < other.id ? -1 : 1))[0];

  /** Resolves a target by file path, then by slugs, then by the source URL of an imported page. */
  lookUp(target: string, from: Page): { page: Page | undefined; isFile: boolean } {
    if (target.startsWith('/pages/')) {
      let page: Page | undefined;
      for (const slug of target.slice(7).split('/')) {
        const next = this.live.find((each) => each.parent === page && each.slug === slug);
        if (next === undefined) return { page: this.at(target.slice(1)), isFile: true };
        page = next;
      }
      return { page, isFile: false };
    }
    const file = new URL(target, `http://x/${from.path}`).pathname.slice(1);
    const isOutside = target.startsWith('../') && !from.path.includes('/');
    if (isOutside) return { page: undefined, isFile: false };
    const exact = /\.md$/.test(file) ? [file] : [file, `${file}/README.md`, `${file}/index.md`, `${file}.md`];
    for (const path of [...exact, ...(file.endsWith('.html') ? [file.replace(/html$/, 'md')] : [])]) {
      const page = this.at(path);
      if (page !== undefined) return { page, isFile: true };
    }
    return { page: undefined, isFile: false };
  }

  write(page: Page, targets: string[]): void {
    const before = page.kept;
    page.targets = targets;
    page.kept = new Map(
      targets.flatMap((target) => {
        const { page: foundPage, isFile } = this.lookUp(target, page);
        const old = before.get(target);
        const means = old?.isLive && !(isFile && foundPage !== undefined) ? old : foundPage;
        return means === undefined ? [] : [[target, means] as const];
      }),
    );
  }

  findMeaning(page: Page, target: string): string {
    const formerPage = page.kept.get(target);
    return (formerPage?.isLive ? formerPage : this.lookUp(target, page).page)?.id ?? 'broken';
  }
}

const getText = (targets: string[], mark: number) => `${targets.map((each) => `[x](${each})`).join(' ')} ${mark}\n`;

async function run(space: SpaceClient, model: Model, { step: each, mark }: { step: Step; mark: number }) {
  const { action, targets } = each;
  const page = model.live[each.page % model.live.length];
  const path = paths[each.word % paths.length] ?? '';
  const slug = slugs[each.word % slugs.length] ?? '';
  const parent = model.live[each.other % (model.live.length + 1)];
  const isFree = (under: Page | undefined) => !model.live.some((one) => one.parent === under && one.slug === slug);
  if (action === 'insert' && isFree(parent)) {
    const into = parent === undefined ? {} : { into: parent.id };
    const document = { markdown: getText(targets, mark) };
    const [id = ''] = await space.change([insertPage('P', { slug, git: { path }, document, ...into })]);
    const page: Page = { id, parent, slug, path, isLive: true, targets: [], kept: new Map() };
    model.pages.push(page);
    model.write(page, targets);
  }
  if (page === undefined) return;
  if (action === 'write') {
    await space.change([writePage(page.id, getText(targets, mark))]);
    model.write(page, targets);
  }
  if (action === 'path') {
    await space.change([{ operation: 'update_page', page: page.id, git: { path } }]);
    page.path = path;
  }
  if (action === 'slug' && isFree(page.parent)) {
    await space.change([{ operation: 'update_page', page: page.id, slug }]);
    page.slug = slug;
  }
  if (action === 'delete' && !model.live.some((one) => one.parent === page)) {
    await space.change([{ operation: 'delete_page', page: page.id }]);
    page.isLive = false;
  }
  if (action === 'move') await move(space, model, { page, parent });
}

async function move(space: SpaceClient, model: Model, { page, parent }: { page: Page; parent: Page | undefined }) {
  for (let up = parent; up !== undefined; up = up.parent) if (up === page) return;
  if (model.live.some((one) => one !== page && one.parent === parent && one.slug === page.slug)) return;
  await space.change([{ operation: 'update_page', page: page.id, into: parent?.id ?? null }]);
  page.parent = parent;
}

async function check(space: SpaceClient, model: Model): Promise<void> {
  const broken = new Set<string>();
  for (const page of model.live) {
    const listed = await listPageLinks(space, page.id);
    const listedTargets = getTargetsByText(listed);
    const meant = new Map(page.targets.map((target) => [target, model.findMeaning(page, target)]));
    for (const [target, id] of Object.entries(listedTargets))
      expect([page.id, target, id]).toEqual([page.id, target, meant.get(target)]);
    expect(new Set(Object.values(listedTargets))).toEqual(new Set(meant.values()));
    for (const [target, id] of meant) if (id === 'broken') broken.add(target);
    expect(listed.stats.broken.total).toBe(listed.items.filter(({ status }) => status === 'broken').length);
  }
  const whole = await listSpaceLinks(space, '&status=broken');
  expect(new Set(whole.items.map(({ target }) => target))).toEqual(broken);
  expect(whole.stats.broken.total).toBe(whole.items.length);
}

test('links match a simple model after any sequence of edits', async () => {
  const server = platform();
  const organization = await server.makeOrganization();
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
    const space = getClient(server, await server.makeSpace({ organization }));
    const model = new Model();
    for (const [mark, each] of steps.entries()) await run(space, model, { step: each, mark });
    await check(space, model);
  });
  await holdsSlowly(property, { numRuns: 12, fewest: 4, milliseconds: 90_000 });
}, 120_000);
