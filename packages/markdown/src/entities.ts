import MarkdownIt from 'markdown-it';

const { normalizeReference, unescapeAll } = new MarkdownIt().utils;

/** The label of a definition, in the form in which labels are equal; and a text without its escapes and entities. */
export { normalizeReference, unescapeAll };

export const ENTITY = /&(?:#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z\d]{1,31});/y;
const ENTITIES = new RegExp(ENTITY.source, 'g');

/** HTML entities as the characters they name. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITIES, (entity) => unescapeAll(entity));
}
