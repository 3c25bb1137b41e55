export type { SpecificationEntry } from './entry-list.ts';
export { SpecificationFault } from './fault.ts';
export { maxSpecificationBytes } from './parse-text.ts';
export { readSpecification } from './read-specification.ts';
