import { isSameTitle } from '@octavo/markdown/anchors';
import { Fragment, type Node } from 'prosemirror-model';
import { schema } from './schema.ts';

/** Returns the first heading of a document if it repeats the title of the page. Readers do not see such a heading. */
export function findTitleHeading({ firstChild }: Node, title: string | undefined): Node | undefined {
  if (firstChild?.type.name !== 'heading' || !isSameTitle(firstChild.textContent, title)) return undefined;
  let isText = true;
  firstChild.forEach((node) => {
    isText &&= node.isText || node.attrs.node?.type === 'emoji';
  });
  return isText ? firstChild : undefined;
}

/** Returns a document without its first block. */
export function removeFirstBlock(doc: Node): Node {
  const [, ...others] = doc.children;
  return doc.copy(Fragment.from(others.length === 0 ? schema.node('paragraph') : others));
}

/** Returns the heading that a document has but does not show. */
export const getHiddenHeading = ({ attrs }: Node): Node | undefined => attrs.heading ?? undefined;

/** Returns a document that does not show a first heading that repeats the title. */
export function hideTitleHeading(doc: Node, title: string | undefined): Node {
  const heading = findTitleHeading(doc, title);
  return heading === undefined ? doc : doc.type.create({ heading }, removeFirstBlock(doc).content);
}

/** Adds the heading that repeats the title to a document without it. The heading follows a change of the title. */
export function addTitleHeading(doc: Node, heading: Node | undefined, title: string | undefined): Node {
  if (heading === undefined) return doc;
  const text = title?.trim() ?? '';
  const isRenamed = text !== '' && !isSameTitle(heading.textContent, text);
  const written = isRenamed ? heading.type.create(heading.attrs, schema.text(text)) : heading;
  return doc.type.create(null, Fragment.from(written).append(doc.content));
}
