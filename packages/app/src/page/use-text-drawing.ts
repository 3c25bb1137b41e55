import { createDrawingContext, type PageNode } from '@octavo/reader/drawing';
import type { DocumentPage } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { plain } from './libraries.ts';
import { createAppResolver } from './resolve-reference.ts';
import { createView, fixedLibraries, useDocumentStyles } from './use-drawing.ts';

interface TextDrawing {
  /** The class of the element that contains the blocks. */
  className: string;
  blocks: ComponentChildren;
}

const resolve = createAppResolver({ space: '', contentPath: '', pages: new Map(), files: new Map() });

/** Draws a short text that belongs to no page, such as a comment. It is drawn again when `key` changes. */
export function useTextDrawing(nodes: PageNode[], key: string): TextDrawing {
  const className = `drawing-${useId()}`;
  const context = useMemo(() => {
    const page = { id: '', title: '', layout: {}, document: { object: 'document', data: {}, nodes } };
    return createDrawingContext(createView(page as unknown as DocumentPage, resolve), { ...plain, ...fixedLibraries });
  }, [key]);
  const blocks = useMemo(() => context.blocks(nodes), [context]);
  useDocumentStyles(className, context);
  return { className, blocks };
}
