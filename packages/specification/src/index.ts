export {
  getOwnProperty,
  getTextAt,
  isObject,
  type JsonObject,
  methods,
  resolveLocal,
  SpecificationFault,
} from './document.ts';
export { findOperation, getExcerpt, getHeads, type WantedParts } from './excerpt.ts';
export { IndexedDocument } from './indexed-document.ts';
export { maxFileBytes, maxSpecificationBytes } from './limits.ts';
export { readSpecification } from './read-specification.ts';
