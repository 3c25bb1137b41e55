import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { RenderContext, RenderedDocument } from './context.ts';
import type { PageNode } from './document.ts';
import { toPlainText } from './document.ts';
import { findOutlineEntries } from './outline.ts';
import { getPageDescription } from './reference/reference.tsx';
import { createRenderContext } from './render-context.tsx';
import type { PageView } from './view.ts';

/**
 * Returns the blocks to render. The document of a page generated from one operation repeats the operation's
 * description, so only the operation is rendered.
 */
function getContentNodes({ view: { page }, references: { blocks } }: RenderContext): PageNode[] {
  const [[node, { title }] = [undefined, { title: undefined }], ...others] = blocks;
  const isOnlyReference = page.isGenerated === true && others.length === 0 && title === page.title;
  return node !== undefined && isOnlyReference ? [node] : page.document.nodes;
}

/** Characters of HTML rendered before yielding to the event loop. */
const maxChunkLength = 100_000;

/** Renders the blocks of a page one after the other. */
async function renderBlocks(context: RenderContext, yieldToEventLoop: () => Promise<unknown>): Promise<string> {
  const parts: string[] = [];
  let renderedCount = 0;
  for (const node of getContentNodes(context)) {
    const part = renderToString(<Blocks nodes={[node]} context={context} />);
    parts.push(part);
    renderedCount += part.length;
    if (renderedCount < maxChunkLength) continue;
    renderedCount = 0;
    await yieldToEventLoop();
  }
  return parts.join('');
}

const Blocks = ({ nodes, context }: { nodes: PageNode[]; context: RenderContext }): ComponentChildren =>
  context.blocks(nodes);

/** Maximum length of a summary in characters. The frame of the page shows less. */
const maxSummary = 1000;

/** Returns the start of a page's text, or else the description of the part of a specification that it shows. */
function getSummary(context: RenderContext): string {
  const paragraphs = context.view.page.document.nodes.filter(({ type }) => type === 'paragraph').slice(0, 3);
  const text = paragraphs.map((each) => toPlainText([each])).join(' ');
  return (text.trim() || getPageDescription(context)).replace(/\s+/g, ' ').trim().slice(0, maxSummary);
}

/** Renders the document of a page. `yieldToEventLoop` is called between the chunks of a long page. */
export async function renderDocument(
  view: PageView,
  yieldToEventLoop: () => Promise<unknown>,
): Promise<RenderedDocument> {
  const context = createRenderContext(view);
  const html = await renderBlocks(context, yieldToEventLoop);
  return {
    ...{ html, summary: getSummary(context), outline: findOutlineEntries(view.page.document.nodes, context) },
    ...{ titleIds: context.headings.title, styles: context.sheet.declarations, frames: [...context.frames] },
    ...{ hasUpdates: context.updates.size > 0, hasReference: context.references.blocks.size > 0 },
  };
}
