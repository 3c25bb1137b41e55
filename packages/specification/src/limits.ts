export const mebibyte = 1024 * 1024;
/** The maximum size of a specification as JSON. */
export const maxSpecificationBytes = 16 * mebibyte;
/** The maximum size of a file of a space that a page shows as a specification. It is parsed when the page is read. */
export const maxFileBytes = mebibyte;
