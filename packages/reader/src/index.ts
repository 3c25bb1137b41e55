export { hasAnchor } from './anchors.ts';
export { type RenderedDocument, toHref } from './context.ts';
export type { ShownDocument } from './document.ts';
export type { PageHit } from './page.tsx';
export { type RenderedPage, renderNotFound, renderNotice, renderPage, renderSearch } from './page.tsx';
export {
  findReferences,
  getSpecificationFile,
  type NamedPart,
  readNamedParts,
  type SpecificationReference,
} from './reference/parts.ts';
export { getTestOrigins, readServers } from './reference/request.ts';
export { getReferenceTexts } from './reference/texts/index.ts';
export { renderedTypes, renderUpdates } from './render-context.tsx';
export { renderDocument } from './render-document.tsx';
export { renderTestPage } from './test-page.tsx';
export { getInterfaceTexts } from './texts/index.ts';
export { themeScript } from './theme/styles.ts';
export { getTokens } from './theme/tokens.ts';
export type {
  AssetAddresses,
  NavigationNode,
  PageView,
  SectionTab,
  SitePreview,
  SiteView,
  TitledLink,
} from './view.ts';
export { getSiteTitle, type ResolvedReference, type ResolveReference, shortenAddress } from './view.ts';
