export type { ShownDocument } from './document.ts';
export { hrefOf } from './drawing.ts';
export type { PageHit } from './found.tsx';
export { type RenderedPage, renderFound, renderMissing, renderPage } from './page.tsx';
export type { Resolved, ResolveReference } from './references.ts';
export { textsOf } from './texts/index.ts';
export { renderUpdates } from './updates.tsx';
export type { AssetAddresses, Linked, NavigationNode, PageView, SectionTab, SiteView } from './view.ts';
export { siteTitleOf } from './view.ts';
