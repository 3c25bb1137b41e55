export type { ShownDocument } from './document.ts';
export { renderPage } from './page.tsx';
export type { Resolved, ResolveReference } from './references.ts';
export type { AssetAddresses, Linked, NavigationNode, PageView, SectionTab } from './view.ts';
