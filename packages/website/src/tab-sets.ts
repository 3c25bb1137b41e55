import {
  type Element,
  getAttribute,
  getChildElements,
  getClasses,
  getElements,
  getLine,
  type Parent,
} from './html-tree.ts';
import { isBoilerplate } from './main-content.ts';

interface Tab {
  title: string;
  panel: Element;
}

/** The tabs of a page by the element that they replace, and their panels, which are omitted from the other text. */
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
  findTabs(main, [], sets);
  return { sets, panels: new Set([...sets.values()].flat().map(({ panel }) => panel)) };
}

interface FoundTabs {
  lists: Element[];
  panels: Element[];
}

/** Finds the tabs below an element. Tabs inside a panel belong to that panel. */
function findTabs(parent: Parent, holderClasses: readonly string[], sets: Map<Element, Tab[]>): FoundTabs {
  const classes = parent.type === 'element' ? getClasses(parent) : [];
  const foundTabs: FoundTabs = { lists: [], panels: [] };
  for (const child of getChildElements(parent)) {
    if (isList(child, classes)) foundTabs.lists.push(child);
    else if (!isBoilerplate(child) && !addSiblings(child, sets)) {
      const childTabs = findTabs(child, classes, sets);
      if (isPanel(child, classes, holderClasses)) foundTabs.panels.push(child);
      else {
        for (const element of childTabs.lists) foundTabs.lists.push(element);
        for (const element of childTabs.panels) foundTabs.panels.push(element);
      }
    } else if (sets.has(child)) findTabs(child, classes, sets);
  }
  if (foundTabs.lists.length === 0 || foundTabs.panels.length === 0) return foundTabs;
  const freePanels = new FreePanels(foundTabs.panels);
  for (const list of foundTabs.lists) {
    if (freePanels.first === undefined) break;
    const tabs = getTabs(list, freePanels);
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

function isPanel(node: Element, holder: readonly string[], ancestorClasses: readonly string[]): boolean {
  if (getAttribute(node, 'role') === 'tabpanel' || getClasses(node).some((name) => panelClasses.has(name))) return true;
  return holder.includes('blocks') && isCodeGroup(ancestorClasses);
}

/** Adds the tabs of an element in which each label is followed by its panel. */
function addSiblings(node: Element, sets: Map<Element, Tab[]>): boolean {
  if (!getClasses(node).some((name) => siblings.has(name))) return false;
  const tabs: Tab[] = [];
  let title: string | undefined;
  for (const child of getChildElements(node)) {
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

/** The panels that no tab has claimed yet, in document order. Panels can also be found by name. */
class FreePanels {
  readonly #all: Element[];
  readonly #byName = new Map<string, Element[]>();
  readonly #takenPanels = new Set<Element>();

  constructor(panels: Element[]) {
    this.#all = panels.toReversed();
    for (const panel of this.#all) {
      for (const name of [getAttribute(panel, 'id'), toLabelKey(getAttribute(panel, 'ariaLabelledBy'))]) {
        if (name === undefined) continue;
        const others = this.#byName.get(name);
        if (others) others.push(panel);
        else this.#byName.set(name, [panel]);
      }
    }
  }

  get first(): Element | undefined {
    return this.#findFirst(this.#all);
  }

  /** Returns the first free panel with a name. */
  findByName = (name: string): Element | undefined => this.#findFirst(this.#byName.get(name) ?? []);

  /** Takes a panel. Returns whether it was free. */
  claimPanel(panel: Element): boolean {
    if (this.#takenPanels.has(panel)) return false;
    this.#takenPanels.add(panel);
    return true;
  }

  /** Returns the first free panel of a list that is in reverse document order. Removes claimed panels from the list. */
  #findFirst(panels: Element[]): Element | undefined {
    for (let last = panels.at(-1); last !== undefined; last = panels.at(-1)) {
      if (!this.#takenPanels.has(last)) return last;
      panels.pop();
    }
    return undefined;
  }
}

/** Returns the tabs of a list with the panels that they reference, or else with the panels in their order. */
function getTabs(list: Element, freePanels: FreePanels): Tab[] {
  const inside = [...getElements(list)];
  const roleTabs = inside.filter((node) => getAttribute(node, 'role') === 'tab');
  const labels = inside.filter(({ tagName }) => tagName === 'label');
  const tabs = [roleTabs, labels].find((each) => each.length > 0) ?? getChildElements(list);
  const namedPanels = tabs.map((tab) => getNames(tab).flatMap((name) => freePanels.findByName(name) ?? [])[0]);
  const isNamed = namedPanels.some((panel) => panel !== undefined);
  return tabs.flatMap((tab, index) => {
    const panel = isNamed ? namedPanels[index] : freePanels.first;
    if (panel === undefined || !freePanels.claimPanel(panel)) return [];
    return [{ title: getTitle(tab) || `${index + 1}`, panel }];
  });
}

const toLabelKey = (id: string | undefined): string | undefined => (id === undefined ? undefined : `label ${id}`);

function getNames(tab: Element): string[] {
  const target = getAttribute(tab, 'dataBsTarget') ?? getAttribute(tab, 'dataTarget') ?? getAttribute(tab, 'href');
  const names = [getAttribute(tab, 'ariaControls'), toLabelKey(getAttribute(tab, 'id')), target?.replace(/^#/, '')];
  return names.filter((name): name is string => name !== undefined);
}
