import type { SiteSection, SiteSpace } from '@octavo/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edit } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import { resolve } from '../resolution/site-world.ts';
import type { SiteClient } from '../sites/site-client.ts';
import { makeSite } from '../sites/site-client.ts';
import { getChange, PageModel, type PageStep, pageStep } from './page-model.ts';

/**
 * The structure that determines URLs: spaces and their paths, with or without sections, and the pages of each space.
 */
interface Structure {
  sections: SiteSection[];
  siteSpaces: SiteSpace[];
}

interface Holder {
  /** The id of a page, or of a space itself. */
  id: string;
  space: string;
  page: string;
}

const placeStep = fc.record({
  kind: fc.constantFrom('section path', 'path', 'section default', 'default', 'add section', 'add', 'remove', 'end'),
  of: fc.nat(),
  path: fc.constantFrom('a', 'b', 'c'),
});
type PlaceStep = typeof placeStep extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.oneof(
  { weight: 3, arbitrary: placeStep.map((place) => ({ place, page: undefined, space: 0 })) },
  { weight: 2, arbitrary: fc.record({ place: fc.constant(undefined), page: pageStep, space: fc.nat() }) },
);
type Step = { place: PlaceStep | undefined; page: PageStep | undefined; space: number };

class World {
  readonly models: Map<string, PageModel>;
  readonly holders = new Map<string, Map<string, { holder: Holder; at: number }>>();
  structure: Structure = { sections: [], siteSpaces: [] };
  readonly site: SiteClient;
  #now = 0;

  constructor(site: SiteClient, spaces: string[]) {
    this.site = site;
    this.models = new Map(spaces.map((id) => [id, new PageModel()]));
  }

  async note(): Promise<void> {
    const { structure: items } = await this.site.structure();
    const sections = items.filter((each) => each.object === 'site-section');
    const siteSpaces = items.flatMap((each) => {
      if (each.object === 'site-space') return [each];
      return each.object === 'site-section' ? each.siteSpaces : [];
    });
    this.structure = { sections, siteSpaces };
    this.#now += 1;
    const paths = new Set([...this.models.values()].flatMap((model) => ['', ...this.#pathsOf(model)]));
    for (const place of this.#listPrefixes())
      for (const path of paths) {
        const address = [place, path].filter(Boolean).join('/');
        const holder = this.#findHolder(address, false);
        const known = this.holders.get(address) ?? new Map();
        if (holder !== undefined) this.holders.set(address, known.set(holder.id, { holder, at: this.#now }));
      }
  }

  #pathsOf = (model: PageModel): string[] => [...model.pages.keys()].map((id) => model.getPath(id));

  #listPrefixes(): string[] {
    const { sections, siteSpaces } = this.structure;
    const own = siteSpaces.map(({ path }) => path);
    return [
      ...new Set(['', ...own, ...sections.flatMap(({ path }) => [path, ...own.map((each) => `${path}/${each}`)])]),
    ];
  }

  /** Returns the page or space that visitors currently see at an address, or undefined. */
  holderOf = (address: string): Holder | undefined => this.#findHolder(address, true);

  #findHolder(address: string, isVisited: boolean): Holder | undefined {
    const { sections, siteSpaces } = this.structure;
    const [segments, section] = pick(sections, address.split('/').filter(Boolean));
    const [rest, siteSpace] = pick(
      siteSpaces.filter((each) => each.section === section?.id),
      segments,
    );
    const space = siteSpace?.space.id ?? '';
    const path = rest.join('/');
    if (path === '') return address === '' ? undefined : { id: space, space, page: '' };
    const model = this.models.get(space);
    const pages = [...(model?.pages.keys() ?? [])].filter((id) => !isVisited || model?.isShown(id) === true);
    const page = pages.find((id) => model?.getPath(id) === path);
    return page === undefined ? undefined : { id: page, space, page };
  }

  /** Returns the address of a page or space, or undefined if visitors cannot see it. */
  getAddress({ space, page }: Holder): string | undefined {
    const { sections, siteSpaces } = this.structure;
    const siteSpace = siteSpaces.find((each) => each.space.id === space);
    const model = this.models.get(space);
    if (siteSpace === undefined || (page !== '' && model?.isShown(page) !== true)) return undefined;
    const section = sections.find(({ id }) => id === siteSpace.section);
    const parts = [
      section?.default === false ? section.path : '',
      siteSpace.default ? '' : siteSpace.path,
      page === '' ? '' : (model?.getPath(page) ?? ''),
    ];
    return parts.filter(Boolean).join('/');
  }

  /** Returns the redirect target of an old address: the last page or space that had it and still exists. */
  getExpectedPage(address: string): string | undefined {
    const left = [...(this.holders.get(address)?.values() ?? [])].toSorted((one, other) => other.at - one.at);
    const [last] = left.map(({ holder }) => this.getAddress(holder)).filter((each) => each !== undefined);
    return last === address ? undefined : last;
  }
}

function pick<Of extends { path: string; default?: boolean | undefined }>(
  level: Of[],
  segments: string[],
): [string[], Of | undefined] {
  const named = level.find(({ path }) => path === segments[0]);
  return named === undefined ? [segments, level.find((each) => each.default)] : [segments.slice(1), named];
}

async function applyStep({ site, structure, models }: World, { kind, of, path }: PlaceStep): Promise<void> {
  const { sections, siteSpaces } = structure;
  const [section, siteSpace] = [sections[of % Math.max(1, sections.length)], siteSpaces[of % siteSpaces.length]];
  const free = [...models.keys()].find((id) => !siteSpaces.some(({ space }) => space.id === id));
  const patch = (at: string, body: object) => site.send(at, { method: 'PATCH', body });
  const isLast = (gone: SiteSpace[]) => gone.length >= siteSpaces.length;
  const beside = siteSpaces.filter((each) => each.section === siteSpace?.section);
  if (kind === 'add section' && free !== undefined)
    await site.callJson('/sections', { body: { spaceId: free, title: `${path}${path}` } });
  if (kind === 'add' && free !== undefined)
    await site.callJson('/site-spaces', { body: { spaceId: free, ...(section && { sectionId: section.id }) } });
  if (kind === 'section path' && section !== undefined) await patch(`/sections/${section.id}`, { path });
  if (kind === 'section default' && section !== undefined && section.siteSpaces.length > 0)
    await patch('', { defaultSiteSection: section.id });
  if (kind === 'path') await patch(`/site-spaces/${siteSpace?.id}`, { path });
  if (kind === 'default' && siteSpace !== undefined)
    await patch(siteSpace.section === undefined ? '' : `/sections/${siteSpace.section}`, {
      defaultSiteSpace: siteSpace.id,
    });
  if (kind === 'remove' && siteSpace !== undefined && beside.length > 1)
    await site.send(`/site-spaces/${siteSpace.id}`, { method: 'DELETE' });
  if (kind === 'end' && section !== undefined && !isLast(section.siteSpaces))
    await site.send(`/sections/${section.id}`, { method: 'DELETE' });
}

async function carryOut(world: World, steps: Step[], token: string): Promise<void> {
  await world.note();
  for (const { place, page, space } of steps) {
    const id = [...world.models.keys()][space % world.models.size] ?? '';
    const model = world.models.get(id) ?? new PageModel();
    const done = page && getChange(model, page);
    if (place !== undefined) await applyStep(world, place);
    if (done !== undefined) {
      const [newPage = ''] = await edit({ id, token }, [done.change]);
      done.apply(newPage);
    }
    await world.note();
  }
}

test('every former URL of a page on the site resolves to it, or to the page that has the URL now', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  await holdsSlowly(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const spaces: string[] = [];
      for (const title of ['a', 'b', 'c']) spaces.push((await platform().makeSpace({ organization, title })).id);
      const site = await makeSite(organization, { spaces: spaces.slice(0, 1) });
      const base = ((await site.publish()).urls.published ?? '').replace(/\/$/, '');
      const world = new World(site, spaces);
      await carryOut(world, steps, token);
      const { apiToken } = await resolve(base);
      for (const address of world.holders.keys()) {
        const there = await resolve(`${base}/${address}`);
        const response = await platform().request(`${site.base}/redirect?source=/${address}`, { token: apiToken });
        const resolved = (await response.json()) as { target?: string };
        const [present, expected] = [world.holderOf(address), world.getExpectedPage(address)];
        const tale = `${address} after ${steps.length} steps`;
        if (present !== undefined) {
          const canonicalUrl = `${base}/${world.getAddress(present)}`;
          expect([there.canonicalUrl, response.status], tale).toEqual([canonicalUrl, 404]);
        } else if (expected === undefined) {
          // A page may have had this path in its space before the space was moved to this address.
          expect([there.complete ?? false, there.redirect], tale).toEqual([false, resolved.target]);
        } else expect([there.redirect, resolved.target], tale).toEqual([`${base}/${expected}`, `${base}/${expected}`]);
      }
    }),
    { numRuns: 10, fewest: 5, milliseconds: 60_000 },
  );
});
