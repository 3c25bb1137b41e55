import { isDeepStrictEqual } from 'node:util';
import { mapConcurrently } from '@octavo/client';
import type { GitbookSite, SiteEntry, SiteFolder } from '@octavo/outline';
import {
  isApiError,
  type SiteSection,
  type SiteSpace,
  type StructureItem,
  type StructurePointer,
} from '@octavo/schema';
import type { Api } from '../api.ts';
import { listAll, listSiteSpaces, type SiteParams, toSpaceTitle } from '../spaces.ts';
import type { ImportProblem } from './source.ts';

/** A space that a site publishes. */
export interface PresentSpace extends SiteSpace {
  /** The path of its section. Undefined if the site has no sections. */
  sectionPath: string | undefined;
  /** The name of the source that its pages were imported from. */
  importedFrom: string | undefined;
  /** Its path on the site, with a leading slash. Empty for the default space of the site. */
  prefix: string;
}

const concurrency = 4;

const listSections = (api: Api, params: SiteParams): Promise<SiteSection[]> =>
  listAll((query) => api.listSiteSections({ params, query }));

/** Reads the spaces of a site. */
export async function readPresentSpaces(api: Api, params: SiteParams): Promise<PresentSpace[]> {
  const [siteSpaces, sections] = await Promise.all([listSiteSpaces(api, params), listSections(api, params)]);
  const paths = new Map(sections.map(({ id, path }) => [id, path]));
  return mapConcurrently(siteSpaces, concurrency, async (siteSpace) => {
    const query = { computed: 'false', depth: '0' } as const;
    const { pages } = await api.getCurrentRevision({ params: { spaceId: siteSpace.space.id }, query });
    const [importedFrom] = pages.flatMap((page) => ('importedFrom' in page && page.importedFrom) || []);
    const prefix = getPrefix(siteSpace, sections);
    return { ...siteSpace, sectionPath: paths.get(siteSpace.section ?? ''), importedFrom, prefix };
  });
}

/** A section of a site with its spaces, in order. */
interface PlannedSection {
  entry: SiteEntry;
  group: SiteEntry | undefined;
  spaces: SiteFolder[];
}

/** Returns the sections of a site. Empty if it has only spaces. A space outside of sections becomes a section. */
export function listPlannedSections({ spaces }: GitbookSite): PlannedSection[] {
  if (spaces.every(({ section, group }) => section === undefined && group === undefined)) return [];
  const bySection = Map.groupBy(spaces, (space) => space.section ?? space);
  return [...bySection].map(([entry, some]) => ({ entry, group: some[0]?.group, spaces: some }));
}

interface WantedSite {
  site: GitbookSite;
  spaceIds: ReadonlyMap<SiteFolder, string>;
  /** The spaces that the site already has. */
  matches: ReadonlyMap<SiteFolder, PresentSpace>;
  /** The spaces to remove from the site. */
  former: readonly PresentSpace[];
}

/** A section that exists on the site, with the IDs of its site spaces in order. The site itself has no ID. */
interface ArrangedSection {
  planned: PlannedSection | undefined;
  id: string | undefined;
  siteSpaces: { id: string; folder: SiteFolder }[];
}

/** The location of a space on a site. `prefix` is its path, with a leading slash, empty for the default space. */
export interface SiteSpaceLocation {
  siteSpaceId: string;
  prefix: string;
}

/**
 * Updates the sections and spaces of a site to match its configuration: titles, paths, order and defaults. Spaces that
 * are removed from the site are not deleted. Returns the location of each space on the site, and the settings that the
 * server refused.
 */
export async function arrangeSite(
  api: Api,
  params: SiteParams,
  wanted: WantedSite,
): Promise<{ locations: Map<SiteFolder, SiteSpaceLocation>; problems: ImportProblem[] }> {
  const emptyGroups = await findEmptyGroups(api, params);
  const { site, matches, spaceIds } = wanted;
  const sections = await addSections(api, params, { site, matches, getSpace: async (folder) => spaceIds.get(folder) });
  await removeSpaces(api, params, { wanted, sections });
  const updater = new SiteUpdater(api, params, { file: wanted.site.file, emptyGroups });
  await updater.update(sections);
  const [all, present] = await Promise.all([listSiteSpaces(api, params), listSections(api, params)]);
  const prefixes = new Map(all.map((each) => [each.id, getPrefix(each, present)]));
  const locations = sections.flatMap(({ siteSpaces }) =>
    siteSpaces.map(({ id, folder }): [SiteFolder, SiteSpaceLocation] => [
      folder,
      { siteSpaceId: id, prefix: prefixes.get(id) ?? '' },
    ]),
  );
  return { locations: new Map(locations), problems: updater.problems };
}

interface AddedSpaces extends Pick<WantedSite, 'site' | 'matches'> {
  /** Returns the ID of a folder's space, or undefined if the space is not to be added. */
  getSpace: (folder: SiteFolder) => Promise<string | undefined>;
}

/** Adds the missing sections and spaces. A space whose section changed is added to the other one. */
export async function addSections(
  api: Api,
  params: SiteParams,
  { site, matches, getSpace }: AddedSpaces,
): Promise<ArrangedSection[]> {
  const planned = listPlannedSections(site);
  const sections: ArrangedSection[] = planned.map((each) => ({ planned: each, id: undefined, siteSpaces: [] }));
  const all = sections.length > 0 ? sections : [{ planned: undefined, id: undefined, siteSpaces: [] }];
  for (const section of all) {
    const folders = section.planned?.spaces ?? site.spaces;
    if (section.planned !== undefined) {
      const used = all.map(({ id }) => id);
      section.id = folders.flatMap((each) => matches.get(each)?.section ?? []).find((id) => !used.includes(id));
    }
    for (const folder of folders) {
      const match = matches.get(folder);
      if (match !== undefined && (section.planned === undefined || match.section === section.id)) {
        section.siteSpaces.push({ id: match.id, folder });
        continue;
      }
      const spaceId = await getSpace(folder);
      if (spaceId === undefined) continue;
      if (section.planned === undefined || section.id !== undefined) {
        const body = { spaceId, ...(section.id !== undefined && { sectionId: section.id }) };
        section.siteSpaces.push({ id: (await api.addSpaceToSite({ params, body })).id, folder });
      } else {
        const { title, icon = null } = section.planned.entry;
        const added = await api.addSectionToSite({ params, body: { spaceId, title: toSectionTitle(title), icon } });
        section.id = added.id;
        section.siteSpaces.push({ id: added.siteSpaces[0]?.id ?? '', folder });
      }
    }
  }
  return all;
}

interface Removal {
  wanted: WantedSite;
  sections: ArrangedSection[];
}

/** Removes former spaces, and the sections that they leave empty. */
async function removeSpaces(api: Api, params: SiteParams, { wanted, sections }: Removal): Promise<void> {
  const { former, matches } = wanted;
  const kept = new Set(sections.flatMap(({ siteSpaces }) => siteSpaces.map(({ id }) => id)));
  const removed = [...new Set([...former, ...matches.values()])].filter(({ id }) => !kept.has(id));
  if (removed.length === 0) return;
  const isEmpty = ({ siteSpaces }: SiteSection): boolean => siteSpaces.length === 0;
  const emptyBefore = new Set((await listSections(api, params)).filter(isEmpty).map(({ id }) => id));
  for (const { id } of removed) await api.deleteSiteSpaceById({ params: { ...params, siteSpaceId: id } });
  const [{ siteSpaces: total }, visible, present] = await Promise.all([
    api.getSiteById({ params }),
    listSiteSpaces(api, params),
    listSections(api, params),
  ]);
  // A section may contain spaces that the caller cannot see.
  if (total !== visible.length) return;
  const emptied = present.filter((section) => isEmpty(section) && !emptyBefore.has(section.id));
  for (const { id } of emptied) await api.deleteSiteSectionById({ params: { ...params, siteSectionId: id } });
}

/** Returns the path of a site space on its site. */
function getPrefix({ section: sectionId, default: isDefault, path }: SiteSpace, sections: SiteSection[]): string {
  const section = sections.find((each) => each.id === sectionId);
  const names = [section?.default === true ? undefined : section?.path, isDefault === true ? undefined : path];
  return names.flatMap((name) => (name === undefined ? [] : `/${name}`)).join('');
}

const shortestTitle = 2;
const maxTitle = 100;

/** Returns the title of a section or group in the length that the API accepts. */
const toSectionTitle = (title: string): string => {
  const text = title.trim().slice(0, maxTitle).toWellFormed();
  return text.length < shortestTitle ? `Section ${text}`.trim() : text;
};

const isEmptyGroup = (item: StructureItem): boolean =>
  item.object === 'site-section-group' && item.children.length === 0;

/** Returns the IDs of the groups of sections that are empty. */
async function findEmptyGroups(api: Api, params: SiteParams): Promise<Set<string>> {
  const { structure } = await api.getSiteStructure({ params });
  return new Set(structure.filter(isEmptyGroup).map(({ id }) => id));
}

/** Sends the settings of a site that differ from its configuration. */
export class SiteUpdater {
  readonly problems: ImportProblem[] = [];
  readonly #api: Api;
  readonly #params: SiteParams;
  readonly #file: string;
  readonly #emptyGroups: ReadonlySet<string>;

  constructor(api: Api, params: SiteParams, { file, emptyGroups }: { file: string; emptyGroups: ReadonlySet<string> }) {
    this.#api = api;
    this.#params = params;
    this.#file = file;
    this.#emptyGroups = emptyGroups;
  }

  async update(sections: ArrangedSection[]): Promise<void> {
    const [siteSpaces, present] = await this.#read();
    const groups = await this.#findGroups(sections);
    for (const section of sections) {
      await this.#updateSpaces(section, siteSpaces);
      await this.#updateDefault(section, siteSpaces);
      const existing = present.find(({ id }) => id === section.id);
      if (existing !== undefined) await this.#updateSection(section, existing, groups);
    }
    const isDefaultSection = ({ planned }: ArrangedSection): boolean =>
      planned?.spaces.some(({ section, isDefault }) => section === undefined && isDefault) ?? false;
    const { id: defaultSiteSection } = sections.find(isDefaultSection) ?? sections[0] ?? {};
    const isDefault = present.find(({ id }) => id === defaultSiteSection)?.default === true;
    if (defaultSiteSection !== undefined && !isDefault)
      await this.#api.updateSiteById({ params: this.#params, body: { defaultSiteSection } });
    await this.#sort(listTopLevel(sections, groups), await this.#readOrder(groups));
  }

  /** Sends the settings of added spaces, and of sections that have no other spaces. */
  async updateAdded(sections: ArrangedSection[], isAdded: (folder: SiteFolder) => boolean): Promise<void> {
    const [siteSpaces, present] = await this.#read();
    for (const section of sections) {
      const added = section.siteSpaces.filter(({ folder }) => isAdded(folder));
      await this.#updateSpaces({ ...section, siteSpaces: added }, siteSpaces);
      const existing = present.find(({ id }) => id === section.id);
      if (existing !== undefined && added.length === section.siteSpaces.length)
        await this.#updateSection(section, existing, new Map());
    }
  }

  #read = (): Promise<[SiteSpace[], SiteSection[]]> =>
    Promise.all([listSiteSpaces(this.#api, this.#params), listSections(this.#api, this.#params)]);

  /** Returns the ID of each group of sections by its key. Groups are found by their titles. */
  async #findGroups(sections: ArrangedSection[]): Promise<Map<string, string>> {
    const wanted = new Map(
      sections.flatMap(({ planned }) => (planned?.group ? [[planned.group.key, planned.group]] : [])),
    );
    const ids = new Map<string, string>();
    if (wanted.size === 0) return ids;
    const present = await listAll((query) => this.#api.listSiteSectionGroups({ params: this.#params, query }));
    for (const { key, title, icon = null } of wanted.values()) {
      const body = { title: toSectionTitle(title), icon };
      const existing = present.find((group) => group.title === body.title);
      ids.set(key, (existing ?? (await this.#api.addSectionGroupToSite({ params: this.#params, body }))).id);
    }
    return ids;
  }

  async #updateSpaces({ siteSpaces }: ArrangedSection, all: SiteSpace[]): Promise<void> {
    for (const { id, folder } of siteSpaces) {
      const present = all.find((each) => each.id === id);
      const title = toSpaceTitle(folder.title);
      if (present !== undefined && present.space.title !== title)
        await this.#api.updateSpaceById({ params: { spaceId: present.space.id }, body: { title } });
      const { path } = folder;
      if (path !== undefined && path !== present?.path)
        await this.#try(`The path ${path} of ${folder.title}`, () =>
          this.#api.updateSiteSpaceById({ params: { ...this.#params, siteSpaceId: id }, body: { path } }),
        );
    }
  }

  async #updateDefault({ id: section, siteSpaces }: ArrangedSection, all: SiteSpace[]): Promise<void> {
    const first = siteSpaces.find(({ folder }) => folder.isDefault) ?? siteSpaces[0];
    const isDefault = all.find(({ id }) => id === first?.id)?.default === true;
    if (first === undefined || isDefault) return;
    if (section === undefined)
      await this.#api.updateSiteById({ params: this.#params, body: { defaultSiteSpace: first.id } });
    else
      await this.#api.updateSiteSectionById({
        params: { ...this.#params, siteSectionId: section },
        body: { defaultSiteSpace: first.id },
      });
  }

  async #updateSection(
    { planned }: ArrangedSection,
    section: SiteSection,
    groups: ReadonlyMap<string, string>,
  ): Promise<void> {
    if (planned === undefined) return;
    const { entry, group } = planned;
    const { title, path = section.path, icon = null, description = null } = entry;
    const siteSectionGroupId = group === undefined ? null : (groups.get(group.key) ?? null);
    const wanted = { title: toSectionTitle(title), icon, description, siteSectionGroupId };
    const present = {
      title: section.title,
      icon: section.icon ?? null,
      description: section.description ?? null,
      siteSectionGroupId: section.sectionGroup ?? null,
    };
    const params = { ...this.#params, siteSectionId: section.id };
    if (!isDeepStrictEqual(wanted, present))
      await this.#try(`The settings of ${title}`, () => this.#api.updateSiteSectionById({ params, body: wanted }));
    if (path !== section.path)
      await this.#try(`The path ${path} of ${title}`, () =>
        this.#api.updateSiteSectionById({ params, body: { path } }),
      );
  }

  /** Changes a setting. If the server refuses it, reports a warning. */
  async #try(setting: string, change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!isApiError(error) || (error.type !== 'invalid' && error.type !== 'conflict')) throw error;
      const reason = error.issues?.[0]?.message ?? error.message;
      this.problems.push({ path: this.#file, kind: 'warning', message: `${setting} was not set: ${reason}` });
    }
  }

  /**
   * Returns the IDs of all items of the structure in their current order. Removes groups that this run has emptied,
   * which a site does not show.
   */
  async #readOrder(groups: ReadonlyMap<string, string>): Promise<string[]> {
    const { structure } = await this.#api.getSiteStructure({ params: this.#params });
    const kept = new Set([...groups.values(), ...this.#emptyGroups]);
    for (const item of structure)
      if (isEmptyGroup(item) && !kept.has(item.id))
        await this.#api.deleteSiteSectionGroupById({ params: { ...this.#params, siteSectionGroupId: item.id } });
    return structure.flatMap((item) => {
      if (item.object === 'site-section-group')
        return [item.id, ...item.sections.flatMap(({ id, siteSpaces }) => [id, ...siteSpaces.map((each) => each.id)])];
      return item.object === 'site-section' ? [item.id, ...item.siteSpaces.map(({ id }) => id)] : [item.id];
    });
  }

  /** Moves the items of each level that are not in the given order. */
  async #sort(levels: StructurePointer[][], order: string[]): Promise<void> {
    for (const level of levels) {
      const indexes = level.map(({ id }) => order.indexOf(id));
      if (indexes.every((index, position) => index > (indexes[position - 1] ?? -1))) continue;
      for (const [position, item] of level.entries()) {
        const after = level[position - 1];
        if (after !== undefined)
          await this.#api.sortSiteStructure({ params: this.#params, body: { item, position: { after } } });
      }
    }
  }
}

/** Returns the items of each level of the structure in order: the top level, the groups and the sections. */
function listTopLevel(sections: ArrangedSection[], groups: ReadonlyMap<string, string>): StructurePointer[][] {
  const levels = new Map<string, StructurePointer[]>([['', []]]);
  const add = (level: string, item: StructurePointer): void => {
    const items = levels.get(level) ?? [];
    if (!items.some(({ id }) => id === item.id)) levels.set(level, [...items, item]);
  };
  for (const { id, planned, siteSpaces } of sections) {
    const group = groups.get(planned?.group?.key ?? '');
    if (group !== undefined) add('', { type: 'site-section-group', id: group });
    if (id !== undefined) add(group ?? '', { type: 'site-section', id });
    for (const siteSpace of siteSpaces) add(`spaces ${id}`, { type: 'site-space', id: siteSpace.id });
  }
  return [...levels.values()];
}
