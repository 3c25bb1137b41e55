import { attributeOf, childElements, classesOf, type Element, elementsOf, lineOf, type Parent } from './html-tree.ts';
import { isNoise } from './noise.ts';

export interface Tab {
  title: string;
  panel: Element;
}

/** The tabs of a page: by the element in whose place they stand, and the panels, which stand nowhere else. */
export interface TabSets {
  sets: ReadonlyMap<Element, Tab[]>;
  panels: ReadonlySet<Element>;
}

const maxTitleLength = 200;
const siblings = new Set(['tabbed-set', 'sd-tab-set', 'book-tabs']);
const listClasses = new Set(['tabbed-labels', 'tab-nav', 'nav-tabs']);
const panelClasses = new Set(['tabbed-block', 'tab-pane', 'tab-content-text']);
const codeGroups = new Set(['vp-code-group', 'code-group']);

/** Finds tabs by their roles, or by the classes of generators that give them none. */
export function tabSetsOf(main: Parent): TabSets {
  const sets = new Map<Element, Tab[]>();
  look(main, [], sets);
  return { sets, panels: new Set([...sets.values()].flat().map(({ panel }) => panel)) };
}

interface Found {
  lists: Element[];
  panels: Element[];
}

/** What of tabs stands below an element and belongs to none of its own; tabs in a panel are that panel's. */
function look(parent: Parent, above: string[], sets: Map<Element, Tab[]>): Found {
  const own = parent.type === 'element' ? classesOf(parent) : [];
  const found: Found = { lists: [], panels: [] };
  for (const child of childElements(parent)) {
    if (isList(child, own)) found.lists.push(child);
    else if (!isNoise(child) && !addSiblings(child, sets)) {
      const below = look(child, own, sets);
      if (isPanel(child, own, above)) found.panels.push(child);
      else {
        for (const each of below.lists) found.lists.push(each);
        for (const each of below.panels) found.panels.push(each);
      }
    } else if (sets.has(child)) look(child, own, sets);
  }
  if (found.lists.length === 0 || found.panels.length === 0) return found;
  const free = new Set(found.panels);
  for (const list of found.lists) {
    const tabs = tabsOf(list, [...free]);
    if (tabs.length > 0) sets.set(list, tabs);
    for (const { panel } of tabs) free.delete(panel);
  }
  return { lists: [], panels: [] };
}

function isList(node: Element, holder: string[]): boolean {
  if (attributeOf(node, 'role') === 'tablist') return true;
  const classes = classesOf(node);
  return classes.some((name) => listClasses.has(name)) || (classes.includes('tabs') && isCodeGroup(holder));
}

const isCodeGroup = (classes: string[]): boolean => classes.some((name) => codeGroups.has(name));

function isPanel(node: Element, holder: string[], above: string[]): boolean {
  if (attributeOf(node, 'role') === 'tabpanel' || classesOf(node).some((name) => panelClasses.has(name))) return true;
  return holder.includes('blocks') && isCodeGroup(above);
}

/** A label and its panel beside it, one pair after the other. */
function addSiblings(node: Element, sets: Map<Element, Tab[]>): boolean {
  if (!classesOf(node).some((name) => siblings.has(name))) return false;
  const tabs: Tab[] = [];
  let title: string | undefined;
  for (const child of childElements(node)) {
    if (child.tagName === 'label') title = titleOf(child);
    else if (child.tagName === 'div' && title !== undefined) {
      tabs.push({ title, panel: child });
      title = undefined;
    }
  }
  if (tabs.length === 0) return false;
  sets.set(node, tabs);
  return true;
}

const titleOf = (node: Element): string =>
  (lineOf(node) || (attributeOf(node, 'dataTitle') ?? '')).slice(0, maxTitleLength).toWellFormed();

/** The tabs of a list with the panels that they name; by their order where they name none. */
function tabsOf(list: Element, panels: Element[]): Tab[] {
  const inside = [...elementsOf(list)];
  const marked = inside.filter((node) => attributeOf(node, 'role') === 'tab');
  const labels = inside.filter(({ tagName }) => tagName === 'label');
  const tabs = [marked, labels].find((each) => each.length > 0) ?? childElements(list);
  const byName = new Map<string, Element>();
  for (const panel of panels) {
    const names = [attributeOf(panel, 'id'), labelKey(attributeOf(panel, 'ariaLabelledBy'))];
    for (const name of names) if (name !== undefined && !byName.has(name)) byName.set(name, panel);
  }
  const named = tabs.map((tab) => namesOf(tab).flatMap((name) => byName.get(name) ?? [])[0]);
  const isNamed = named.some((panel) => panel !== undefined);
  const taken = new Set<Element>();
  return tabs.flatMap((tab, index) => {
    const panel = isNamed ? named[index] : panels[index];
    if (panel === undefined || taken.has(panel)) return [];
    taken.add(panel);
    return [{ title: titleOf(tab) || `${index + 1}`, panel }];
  });
}

const labelKey = (id: string | undefined): string | undefined => (id === undefined ? undefined : `label ${id}`);

function namesOf(tab: Element): string[] {
  const target = attributeOf(tab, 'dataBsTarget') ?? attributeOf(tab, 'dataTarget') ?? attributeOf(tab, 'href');
  const names = [attributeOf(tab, 'ariaControls'), labelKey(attributeOf(tab, 'id')), target?.replace(/^#/, '')];
  return names.filter((name): name is string => name !== undefined);
}
