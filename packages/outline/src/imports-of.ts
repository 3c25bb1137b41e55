const statement = /^import[ \t]+(?:[^'"\n]{0,500}?from[ \t]*)?['"]([^'"\n]{1,500})['"]/gm;

/** What the import statements of a page of mdx name, in order. */
export const importsOf = (text: string): string[] => [...text.matchAll(statement)].map(([, from = '']) => from);
