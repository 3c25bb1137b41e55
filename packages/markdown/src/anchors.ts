/* The ids and titles of headings without the parser, for the browser. */
export { createGitBookIds } from './gitbook-ids.ts';
export { assignHeadingIds, createGitHubIds, createSlugAllocator, isSameTitle, slugify } from './slug.ts';
