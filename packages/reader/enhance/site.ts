/* The behaviours of a page: each works without the others, and the page without all. */
export {};
