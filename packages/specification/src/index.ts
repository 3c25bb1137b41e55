export { getOwn, isObject, type JsonObject, methods, resolveLocal, SpecificationFault, textAt } from './document.ts';
export type { SpecificationEntry } from './entry-list.ts';
export { getExcerpt, getHeads, operationAt, type WantedParts } from './excerpt.ts';
export { IndexedDocument } from './indexed-document.ts';
export { maxSpecificationBytes } from './parse-text.ts';
export { readSpecification } from './read-specification.ts';
