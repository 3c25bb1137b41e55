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

/**
 * The footnotes of a page: labels by reference link, footnote texts by label, and the elements that contain these
 * texts.
 */
export interface Footnotes {
  labels: ReadonlyMap<Element, string>;
  texts: ReadonlyMap<string, Element>;
  /** Elements that contain only footnote texts. */
  holders: ReadonlySet<Element>;
}

const maxFootnotes = 1000;

function isReference(node: Element, holder: Element | undefined): boolean {
  if (node.tagName !== 'a' || !getAttribute(node, 'href')?.startsWith('#')) return false;
  if (node.properties.dataFootnoteRef !== undefined || getAttribute(node, 'role') === 'doc-noteref') return true;
  const classes = [...getClasses(node), ...(holder?.tagName === 'sup' ? getClasses(holder) : [])];
  return classes.includes('footnote-ref') || classes.includes('footnote-reference');
}

/** Whether an element is a footnote list. */
export const isNoteList = (node: Element): boolean =>
  node.properties.dataFootnotes !== undefined ||
  getAttribute(node, 'role') === 'doc-endnotes' ||
  getClasses(node).some((name) => /^footnotes?(?:-list|-definition)?$/.test(name));

/** Finds the footnotes of a page. A reference whose footnote is missing stays a plain link. */
export function getFootnotes(main: Parent): Footnotes {
  const links: { link: Element; target: string }[] = [];
  const visit = (parent: Parent): void => {
    const holder = parent.type === 'element' ? parent : undefined;
    for (const child of getChildElements(parent)) {
      if (isReference(child, holder) && links.length < maxFootnotes)
        links.push({ link: child, target: tryDecodeURIComponent(getAttribute(child, 'href')?.slice(1) ?? '') });
      visit(child);
    }
  };
  visit(main);
  if (links.length === 0) return { labels: new Map(), texts: new Map(), holders: new Set() };
  return filterWithTexts(main, links);
}

function filterWithTexts(main: Parent, links: { link: Element; target: string }[]): Footnotes {
  const targets = new Set(links.map(({ target }) => target));
  const byId = new Map<string, Element>();
  const holders = new Set<Element>();
  for (const node of getElements(main)) {
    const id = getAttribute(node, 'id');
    if (id !== undefined && targets.has(id) && !byId.has(id)) byId.set(id, node);
  }
  const [labels, texts, labelOf] = [new Map<Element, string>(), new Map<string, Element>(), new Map<string, string>()];
  for (const { link, target } of links) {
    const text = byId.get(target);
    if (text === undefined) continue;
    const linkLabel = getLine(link).replace(/^\[|\]$/g, '');
    const isLabelFree = /^[\w-]{1,40}$/.test(linkLabel) && !texts.has(linkLabel);
    const label = labelOf.get(target) ?? (isLabelFree ? linkLabel : `note-${texts.size + 1}`);
    labelOf.set(target, label);
    texts.set(label, text);
    labels.set(link, label);
    holders.add(text);
  }
  addEmptiedParents(main, holders);
  return { labels, texts, holders };
}

const contentTags = new Set(['img', 'picture', 'input', 'video', 'audio', 'iframe', 'embed']);

/** Collects lists that contain only footnote texts, and possibly a heading. Returns what the element contains. */
function addEmptiedParents(parent: Parent, holders: Set<Element>): { hasContent: boolean; isTaken: boolean } {
  let [hasContent, isTaken] = [false, false];
  for (const child of parent.children) {
    if (child.type === 'text') hasContent ||= child.value.trim() !== '';
    if (child.type !== 'element' || isBoilerplate(child)) continue;
    if (holders.has(child)) isTaken = true;
    else {
      const inside = addEmptiedParents(child, holders);
      if (inside.isTaken && !inside.hasContent && isNoteList(child)) holders.add(child);
      hasContent ||= !/^h[1-6]$/.test(child.tagName) && (inside.hasContent || contentTags.has(child.tagName));
      isTaken ||= inside.isTaken;
    }
  }
  return { hasContent, isTaken };
}

function tryDecodeURIComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
