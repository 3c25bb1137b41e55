export { isObject, type JsonObject, ownOf, resolveLocal, SpecificationFault, textAt } from './document.ts';
export type { SpecificationEntry } from './entry-list.ts';
export { excerptOf, headsOf, operationAt, type WantedParts } from './excerpt.ts';
export { IndexedDocument } from './indexed-document.ts';
export { maxSpecificationBytes } from './parse-text.ts';
export { readSpecification } from './read-specification.ts';
