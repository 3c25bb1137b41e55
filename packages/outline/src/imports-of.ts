const statement = /^import[ \t]{1,20}(?:[^'"\n]{0,500}?from[ \t]{0,20})?['"]([^'"\n]{1,500})['"]/gm;

/** What the import statements of a page of mdx name, in order. */
export const importsOf = (text: string): string[] => [...text.matchAll(statement)].map(([, from = '']) => from);
