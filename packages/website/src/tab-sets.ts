import {
  childElements,
  type Element,
  getAttribute,
  getClasses,
  getElements,
  getLine,
  type Parent,
} from './html-tree.ts';
import { isNoise } from './main-content.ts';

interface Tab {
  title: string;
  panel: Element;
}

/** The tabs of a page, by the element that they replace, and the panels to remove elsewhere. */
export interface TabSets {
  sets: ReadonlyMap<Element, Tab[]>;
  panels: ReadonlySet<Element>;
}

const maxTitleLength = 200;
const siblings = new Set(['tabbed-set', 'sd-tab-set', 'book-tabs']);
const listClasses = new Set(['tabbed-labels', 'tab-nav', 'nav-tabs']);
const panelClasses = new Set(['tabbed-block', 'tab-pane', 'tab-content-text']);
const codeGroups = new Set(['vp-code-group', 'code-group']);

/** Finds tabs by their ARIA roles, or by the class names of generators that lack them. */
export function getTabSets(main: Parent): TabSets {
  const sets = new Map<Element, Tab[]>();
  look(main, [], sets);
  return { sets, panels: new Set([...sets.values()].flat().map(({ panel }) => panel)) };
}

interface FoundTabs {
  lists: Element[];
  panels: Element[];
}

/** Finds the tabs below an element. Tabs inside a panel belong to that panel. */
function look(parent: Parent, above: readonly string[], sets: Map<Element, Tab[]>): FoundTabs {
  const own = parent.type === 'element' ? getClasses(parent) : [];
  const found: FoundTabs = { lists: [], panels: [] };
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
  const free = new FreePanels(found.panels);
  for (const list of found.lists) {
    if (free.first === undefined) break;
    const tabs = getTabs(list, free);
    if (tabs.length > 0) sets.set(list, tabs);
  }
  return { lists: [], panels: [] };
}

function isList(node: Element, holder: readonly string[]): boolean {
  if (getAttribute(node, 'role') === 'tablist') return true;
  const classes = getClasses(node);
  return classes.some((name) => listClasses.has(name)) || (classes.includes('tabs') && isCodeGroup(holder));
}

const isCodeGroup = (classes: readonly string[]): boolean => classes.some((name) => codeGroups.has(name));

function isPanel(node: Element, holder: readonly string[], above: readonly string[]): boolean {
  if (getAttribute(node, 'role') === 'tabpanel' || getClasses(node).some((name) => panelClasses.has(name))) return true;
  return holder.includes('blocks') && isCodeGroup(above);
}

/** Adds labels that are each followed by their panel. */
function addSiblings(node: Element, sets: Map<Element, Tab[]>): boolean {
  if (!getClasses(node).some((name) => siblings.has(name))) return false;
  const tabs: Tab[] = [];
  let title: string | undefined;
  for (const child of childElements(node)) {
    if (child.tagName === 'label') title = getTitle(child);
    else if (child.tagName === 'div' && title !== undefined) {
      tabs.push({ title, panel: child });
      title = undefined;
    }
  }
  if (tabs.length === 0) return false;
  sets.set(node, tabs);
  return true;
}

const getTitle = (node: Element): string =>
  (getLine(node) || (getAttribute(node, 'dataTitle') ?? '')).slice(0, maxTitleLength).toWellFormed();

/** The panels in order, including named ones. Each is returned once. */
class FreePanels {
  readonly #all: Element[];
  readonly #byName = new Map<string, Element[]>();
  readonly #taken = new Set<Element>();

  constructor(panels: Element[]) {
    this.#all = panels.toReversed();
    for (const panel of this.#all) {
      for (const name of [getAttribute(panel, 'id'), labelKey(getAttribute(panel, 'ariaLabelledBy'))]) {
        if (name === undefined) continue;
        const others = this.#byName.get(name);
        if (others) others.push(panel);
        else this.#byName.set(name, [panel]);
      }
    }
  }

  get first(): Element | undefined {
    return this.#firstOf(this.#all);
  }

  /** Returns the first free panel with a name. */
  named = (name: string): Element | undefined => this.#firstOf(this.#byName.get(name) ?? []);

  /** Takes a panel. Returns whether it was free. */
  take(panel: Element): boolean {
    if (this.#taken.has(panel)) return false;
    this.#taken.add(panel);
    return true;
  }

  /** Returns the first free panel. The list is in reverse document order. */
  #firstOf(panels: Element[]): Element | undefined {
    for (let last = panels.at(-1); last !== undefined; last = panels.at(-1)) {
      if (!this.#taken.has(last)) return last;
      panels.pop();
    }
    return undefined;
  }
}

/** Returns the tabs of a list with the panels that they reference, or with panels in order. */
function getTabs(list: Element, free: FreePanels): Tab[] {
  const inside = [...getElements(list)];
  const marked = inside.filter((node) => getAttribute(node, 'role') === 'tab');
  const labels = inside.filter(({ tagName }) => tagName === 'label');
  const tabs = [marked, labels].find((each) => each.length > 0) ?? childElements(list);
  const named = tabs.map((tab) => getNames(tab).flatMap((name) => free.named(name) ?? [])[0]);
  const isNamed = named.some((panel) => panel !== undefined);
  return tabs.flatMap((tab, index) => {
    const panel = isNamed ? named[index] : free.first;
    if (panel === undefined || !free.take(panel)) return [];
    return [{ title: getTitle(tab) || `${index + 1}`, panel }];
  });
}

const labelKey = (id: string | undefined): string | undefined => (id === undefined ? undefined : `label ${id}`);

function getNames(tab: Element): string[] {
  const target = getAttribute(tab, 'dataBsTarget') ?? getAttribute(tab, 'dataTarget') ?? getAttribute(tab, 'href');
  const names = [getAttribute(tab, 'ariaControls'), labelKey(getAttribute(tab, 'id')), target?.replace(/^#/, '')];
  return names.filter((name): name is string => name !== undefined);
}
