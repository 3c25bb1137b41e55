import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edit, makeChangeRequest, merge } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import { publishedSite, resolve } from '../resolution/site-world.ts';

/** A page of the model: the address of each follows from those above it. */
interface ModelPage {
  parent: string;
  slug: string;
}

const step = fc.record({
  kind: fc.constantFrom('insert', 'edit', 'rename', 'rename', 'move', 'move', 'delete'),
  page: fc.nat(),
  parent: fc.nat(),
  slug: fc.constantFrom('a', 'b', 'c'),
  isMerged: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class Model {
  readonly pages = new Map<string, ModelPage>();
  /** Of each address the pages that ever had it, with when they last did. */
  readonly holders = new Map<string, Map<string, number>>();
  #now = 0;

  pathOf(id: string): string {
    const { parent = '', slug = '' } = this.pages.get(id) ?? {};
    return parent === '' ? slug : `${this.pathOf(parent)}/${slug}`;
  }

  isBelow(id: string, above: string): boolean {
    return id === above || (id !== '' && this.isBelow(this.pages.get(id)?.parent ?? '', above));
  }

  isFree({ parent, slug }: ModelPage, but?: string): boolean {
    return ![...this.pages].some(([id, page]) => id !== but && page.parent === parent && page.slug === slug);
  }

  note(): void {
    this.#now += 1;
    for (const id of this.pages.keys()) {
      const path = this.pathOf(id);
      this.holders.set(path, (this.holders.get(path) ?? new Map<string, number>()).set(id, this.#now));
    }
  }

  /** The page that an address is to lead to: who has it, else who had it last of those that are left. */
  wanted(path: string): { page: string; isOld: boolean } | undefined {
    const present = [...this.pages.keys()].find((id) => this.pathOf(id) === path);
    if (present !== undefined) return { page: present, isOld: false };
    const left = [...(this.holders.get(path) ?? [])].filter(([id]) => this.pages.has(id));
    const [last] = left.toSorted(([, one], [, other]) => other - one);
    return last && { page: last[0], isOld: true };
  }
}

/** What a step does to the content, with what it does to the model; undefined where it does nothing. */
function changeOf(model: Model, { kind, page: index, parent: under, slug }: Step) {
  const ids = [...model.pages.keys()];
  const id = ids[index % Math.max(1, ids.length)];
  const parent = ['', ...ids][under % (ids.length + 1)] ?? '';
  if (kind === 'insert' || id === undefined) {
    if (!model.isFree({ parent, slug }) || ids.length > 7) return undefined;
    const into = parent === '' ? {} : { into: parent };
    const change = { operation: 'insert_page', title: slug, slug, document: { markdown: slug }, ...into };
    return { change, apply: (made: string) => model.pages.set(made, { parent, slug }) };
  }
  const page = model.pages.get(id) ?? { parent: '', slug: '' };
  const update = { operation: 'update_page', page: id };
  if (kind === 'edit') return { change: { ...update, document: { markdown: `${index}` } }, apply: () => undefined };
  if (kind === 'delete') {
    const gone = ids.filter((each) => model.isBelow(each, id));
    return {
      change: { operation: 'delete_page', page: id },
      apply: () => gone.map((each) => model.pages.delete(each)),
    };
  }
  const next = kind === 'rename' ? { ...page, slug } : { ...page, parent };
  if (!model.isFree(next, id) || (kind === 'move' && model.isBelow(parent, id))) return undefined;
  const moved = kind === 'rename' ? { slug } : { into: parent === '' ? null : parent };
  return { change: { ...update, ...moved }, apply: () => model.pages.set(id, next) };
}

async function carryOut(space: { id: string; token: string }, steps: Step[]): Promise<Model> {
  const model = new Model();
  for (const each of steps) {
    const done = changeOf(model, each);
    if (done === undefined) continue;
    const request = each.isMerged ? (await makeChangeRequest(space)).id : undefined;
    const [made = ''] = await edit(space, [done.change], request);
    if (request !== undefined) expect((await merge(space, request)).status).toBe(200);
    done.apply(made);
    model.note();
  }
  return model;
}

test('every address that a page ever had leads to it while it is there, or to who has it now', async () => {
  const organization = await platform().makeOrganization();
  await holdsSlowly(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
      const space = await platform().makeSpace({ organization });
      const model = await carryOut(space, steps);
      const { path: site, base } = await publishedSite({ organization, spaces: [space.id] });
      const { apiToken: token } = await resolve(base);
      for (const path of model.holders.keys()) {
        const response = await platform().request(`${site}/redirect?source=/${path}`, { token });
        const answer = (await response.json()) as { redirect?: { id: string }; target?: string };
        const wanted = model.wanted(path);
        const there = await resolve(`${base}/${path}`);
        expect([path, response.status], JSON.stringify(steps)).toEqual([path, wanted?.isOld === true ? 200 : 404]);
        if (wanted === undefined) expect(there).toMatchObject({ complete: false });
        else if (!wanted.isOld) expect(there).toMatchObject({ complete: true, canonicalUrl: `${base}/${path}` });
        else {
          const target = `${base}/${model.pathOf(wanted.page)}`;
          expect(answer).toMatchObject({ target, redirect: { id: wanted.page } });
          expect(there).toEqual({ target: 'content', redirect: target });
        }
      }
    }),
    { numRuns: 40, fewest: 5, milliseconds: 60_000 },
  );
});
