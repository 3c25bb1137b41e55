/** Loaded on demand, so that the initial bundle does not contain the text comparison. */
export { diffWords } from '@octavo/merge';
