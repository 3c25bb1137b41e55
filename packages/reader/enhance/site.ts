/* The behaviours of a page: each works without the others, and the page without all. */
import './copy-code.ts';
import './page-outline.ts';
import './site-search.ts';
import './tab-set.ts';
import './theme-switch.ts';
