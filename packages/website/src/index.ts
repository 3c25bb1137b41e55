export { type AddressNode, createAddressTree } from './address-tree.ts';
export { decodeHtml } from './html-tree.ts';
export { readWebPage } from './read-web-page.ts';
export { readRobots } from './robots.ts';
export { readSitemap } from './sitemap.ts';
