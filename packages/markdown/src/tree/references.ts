import { findHtmlTargets, getLinks, rewriteTargets } from '../links/find-links.ts';
import { isAddressItself } from '../links/target-names.ts';
import type { Block, Inline, TextNode, TreeData } from './document-tree.ts';
import { getTextAt, isBlock } from './document-tree.ts';
import { parseTree } from './parse-tree.ts';

/**
 * Returns the reference that replaces an address, or undefined if its target must not be disclosed. Texts use the
 * `href` of the reference.
 */
export type ReferenceOf = (url: string) => TreeData | undefined;

type Nodes = Block['nodes'];

const running = /^(?:javascript|vbscript|file|data(?!:image\/(?:png|jpeg|gif|webp|avif)[;,])):/i;

/**
 * Whether an address may run code. Control characters and white space are removed first, because browsers ignore them.
 */
export const mayRunCode = (address: string): boolean => running.test(address.replace(/[\p{Cc}\s]/gu, ''));

/**
 * Replaces the references of blocks. If a target must not be disclosed, a link keeps its text only, and a block that
 * needs the target is removed. Includes are left for `evaluateTree`.
 */
export const mapReferences = (blocks: Block[], to: ReferenceOf): Block[] =>
  new Mapper(to).nodes(blocks).filter(isBlock);

class Mapper {
  readonly #to: ReferenceOf;

  constructor(to: ReferenceOf) {
    this.#to = to;
  }

  nodes = (nodes: Nodes): Nodes => nodes.flatMap((node) => this.#replaceInNode(node));

  #replaceInNode(node: Nodes[number]): Nodes {
    if (node.object === 'text') return [node];
    if (node.type === 'reusable-content') return [node];
    const data = this.#resolveData(node);
    if (data === undefined) return isLinkOrButton(node) ? this.#getText(node) : [];
    const nodes = this.nodes(node.nodes);
    if (node.type === 'images' && nodes.length === 0) return [];
    const isUnchanged = data === node.data && nodes.every((each, index) => each === node.nodes[index]);
    return isUnchanged && nodes.length === node.nodes.length ? [node] : [{ ...node, data, nodes } as Nodes[number]];
  }

  /** Replaces the references in a node's data. Returns undefined if the target of a reference must not be disclosed. */
  #resolveData(node: Block | Inline): TreeData | undefined {
    const { data } = node;
    if (this.#hasHiddenLink(data)) return undefined;
    const changed: TreeData = this.#replaceInTexts(data);
    for (const key of ['ref', 'refDark']) {
      const url = getTextAt(data[key], 'url');
      if (url === undefined) continue;
      const reference = this.#to(url);
      if (reference === undefined) return undefined;
      if (JSON.stringify(reference) !== JSON.stringify(data[key])) changed[key] = reference;
    }
    return Object.keys(changed).length === 0 ? data : { ...data, ...changed };
  }

  /** Replaces addresses of the application in texts of the data. */
  #replaceInTexts(data: TreeData): TreeData {
    const texts = Object.entries(data).flatMap(([key, value]) => {
      if (key === 'markup' || typeof value !== 'string' || !value.includes('/spaces/')) return [];
      const text = rewriteTargets(value, (target) => {
        const reference = target.includes('/spaces/') ? this.#to(target) : undefined;
        return getTextAt(reference, 'href') ?? getTextAt(reference, 'url');
      });
      return text === value ? [] : [[key, text]];
    });
    return Object.fromEntries(texts) as TreeData;
  }

  /** Whether a text of the data, such as a caption or HTML, contains a link that must not be disclosed. */
  #hasHiddenLink(data: TreeData): boolean {
    return Object.entries(data).some(
      ([key, value]) =>
        key !== 'markup' &&
        typeof value === 'string' &&
        /[<[]/.test(value) &&
        findTargets(toMarkdown(key, value)).some((target) => this.#to(target) === undefined),
    );
  }

  /** Returns the text of a link, unless it is the address. */
  #getText(node: Block | Inline): Nodes {
    const nodes = this.nodes(node.nodes);
    return isAddressItself(getTextAt(node.data.ref, 'url') ?? '', getFlatText(nodes)) ? [] : nodes;
  }
}

/** Without its delimiters, a formula could be parsed as something else, such as an import. */
const toMarkdown = (key: string, value: string): string => (key === 'formula' ? `$$\n${value}\n$$` : value);

const findTargets = (text: string): string[] => getLinks(text).map(({ target }) => target);

const isLinkOrButton = (node: Block | Inline): boolean => node.type === 'link' || node.type === 'button';

const getFlatText = (nodes: (Block | Inline | TextNode)[]): string =>
  nodes
    .map((node) => (node.object === 'text' ? node.leaves.map(({ text }) => text).join('') : getFlatText(node.nodes)))
    .join('');

/** Returns each address that blocks refer to, including the addresses of includes, with its node. */
export function* findReferences(nodes: Nodes): Generator<{ url: string; node: Block | Inline }> {
  for (const node of nodes) {
    if (node.object === 'text') continue;
    for (const key of ['ref', 'refDark']) {
      const url = getTextAt(node.data[key], 'url');
      if (url !== undefined) yield { url, node };
    }
    for (const [key, value] of Object.entries(node.data))
      if (key !== 'markup' && typeof value === 'string' && /[<[]/.test(value))
        for (const target of key === 'html' ? findHtmlTargets(value) : findTargets(toMarkdown(key, value)))
          yield { url: target, node };
    yield* findReferences(node.nodes);
  }
}

/** Maximum number of mentioned users. */
export const maxMentions = 50;

/**
 * Returns the distinct ids of users that a markdown text mentions as `@usr_...`. Code, addresses and escapes are
 * ignored. If there are more than `maxMentions`, one more is returned, so that the caller can report it.
 */
export function getMentions(markdown: string): string[] {
  const users = new Set<string>();
  const visit = (node: Block | Inline | TextNode): void => {
    if (node.object === 'text' || users.size > maxMentions) return;
    const user = !isBlock(node) && node.type === 'mention' ? getTextAt(node.data.ref, 'user') : undefined;
    if (user !== undefined) users.add(user);
    for (const child of node.nodes) visit(child);
  };
  if (markdown.includes('@usr_'))
    for (const node of parseTree(markdown, { sources: 'none', hasKeys: false }).nodes) visit(node);
  return [...users];
}
