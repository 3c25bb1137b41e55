/* The components of pages without large libraries, for the browser. */
export type { DrawingLibraries, RenderContext } from './context.ts';
export type { PageNode, ShownDocument } from './document.ts';
export { toEmoji } from './document.ts';
export { createDrawingContext } from './drawing-context.tsx';
export { findOutlineEntries } from './outline.ts';
export type { PageView, ResolvedReference } from './view.ts';
export { shortenAddress, toSafeAddress } from './view.ts';
