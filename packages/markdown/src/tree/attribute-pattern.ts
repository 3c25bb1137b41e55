const ATTRIBUTE = /(?:[#.][\w-]{1,100}|[\w:-]{1,100}=(?:"[^"{}\n]{0,300}"|'[^'{}\n]{0,300}'|[^\s"'{}]{1,300}))/.source;
const MORE = `${ATTRIBUTE}(?:[ \\t]{1,9}${ATTRIBUTE}){0,20}[ \\t]{0,9}\\}`;

/** A list of attributes in braces, as kramdown, MkDocs and VitePress write it, where a search begins. */
export const attributeList = (): RegExp => new RegExp(`\\{:?[ \\t]{0,9}${MORE}`, 'y');

/** The same, in a text: one without a colon counts only behind a link, an image, code or a mark. */
export const attributeListsIn = (): RegExp =>
  new RegExp(`(?<=[)\\]\`*_>:])\\{[ \\t]{0,9}${MORE}|\\{:[ \\t]{0,9}${MORE}`, 'g');
