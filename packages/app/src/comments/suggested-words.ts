/** Loaded on demand, because the first load of a page contains no comparison of texts. */
export { diffWords } from '@octavo/merge';
