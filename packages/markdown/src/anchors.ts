/* The ids of headings without the parser, for the browser. */
export { createFamilyIds } from './family-ids.ts';
export { assignHeadingIds, createGitHubIds, createSlugAllocator, slugify } from './slug.ts';
