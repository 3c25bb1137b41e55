import {
  createDrawingContext,
  type DrawingLibraries,
  findOutlineEntries,
  type PageNode,
  type PageView,
  type RenderContext,
  type ShownDocument,
} from '@octavo/reader/drawing';
import type { DocumentPage, Page } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { usePages } from '../space/use-pages.ts';
import type { LoadedValue } from '../use-api.ts';
import { ReferenceNote } from './api-reference.tsx';
import { loadLibraries } from './libraries.ts';
import { createAppResolver } from './resolve-reference.ts';
import { useFiles } from './use-files.ts';

/** The document of a page with everything that is needed to draw its blocks. */
export interface PageDrawing {
  page: DocumentPage;
  /** The class of the element that contains the blocks. The styles of the document apply only inside of it. */
  className: string;
  nodes: PageNode[];
  draw: (node: PageNode) => ComponentChildren;
  outline: { id: string; level: number; text: string }[];
}

const filesPath = '/~/assets/';

/** The part of a site's customization that blocks depend on. */
const site = {
  ...{ title: '', url: `${window.location.origin}/`, language: 'en', direction: 'ltr' },
  customization: {
    styling: { icons: 'regular' },
    internationalization: { locale: 'en' },
    externalLinks: { target: 'blank' },
  },
} as unknown as PageView['site'];

const iconStyles = ['solid', 'regular', 'brands'];

/** Returns the address of an icon as authors name it: `gear`, `fa-gear`, `regular bell`. */
function getIconAddress(name: string, style: string): string {
  const parts = name.split(/[\s:/]+/).map((part) => part.replace(/^fa-/, ''));
  const named = parts.find((part) => iconStyles.includes(part));
  return `${filesPath}icons/${named ?? (style === 'regular' ? 'solid' : style)}/${parts.at(-1)}.svg`;
}

const getDiagramsAddress = (): string | undefined => document.getElementById('app')?.dataset.diagrams;

const assets: PageView['assets'] = {
  ...{ style: '', script: '', icon: getIconAddress },
  file: (name) => (name === 'diagrams.html' ? getDiagramsAddress() : undefined),
};

const isDocument = (value: unknown): value is ShownDocument =>
  typeof value === 'object' && value !== null && 'nodes' in value && Array.isArray(value.nodes);

const emptyDocument: ShownDocument = { object: 'document', data: {}, nodes: [] };

export function createView(page: DocumentPage, resolve: PageView['resolve']): PageView {
  const { id, title, layout } = page;
  const shown = isDocument(page.document) ? page.document : emptyDocument;
  return {
    ...{ site, assets, resolve, relativeRoot: '/', address: '', base: '', canonicalUrl: '' },
    ...{ alternates: [], sections: [], variants: [], breadcrumbs: [], navigation: [], specifications: {} },
    page: { id, title, layout, isIndexed: false, document: shown },
  };
}

export const fixedLibraries: Pick<DrawingLibraries, 'Reference' | 'readReferences' | 'getPartHeadings'> = {
  Reference: ReferenceNote,
  readReferences: () => ({
    blocks: new Map(),
    schemas: () => {
      throw new Error('The app draws no specifications.');
    },
  }),
  getPartHeadings: () => [],
};

/** Adds the styles that the drawn blocks need, below the class. They are complete after the blocks are drawn. */
export function useDocumentStyles(className: string, context: RenderContext | undefined): void {
  useLayoutEffect(() => {
    if (context === undefined) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`.${className}{${context.sheet.toCss()}}`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  });
}

type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

interface LibraryState {
  /** The last page whose libraries were loaded. */
  loaded?: { page: DocumentPage; libraries: Libraries };
  /** The reason why the libraries of the current page could not be loaded. */
  error?: unknown;
}

const noLibraries: LibraryState = {};

/** Loads the libraries and the behaviors that the blocks of a page need. */
function useLibraries(page: DocumentPage | undefined): LibraryState {
  const [state, setState] = useState(noLibraries);
  useEffect(() => {
    if (page === undefined) return;
    let isCurrent = true;
    const nodes = isDocument(page.document) ? page.document.nodes : [];
    Promise.all([loadLibraries(nodes), import('@octavo/reader/elements')]).then(
      ([libraries, elements]) => {
        elements.defineDocumentElements();
        if (isCurrent) setState({ loaded: { page, libraries } });
      },
      (error: unknown) => {
        if (isCurrent) setState((former) => ({ ...former, error }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [page]);
  return page === undefined ? noLibraries : state;
}

const noPages: ReadonlyMap<string, Page> = new Map();

/** The content that a page belongs to: a space, or a change request or revision of it. */
export interface ContentPoint {
  space: string;
  /** `/spaces/spc_a`, `/spaces/spc_a/change-requests/cr_a` or `/spaces/spc_a/revisions/rev_a`. */
  path: string;
}

/** Loads everything that is needed to draw the blocks of a page. */
export function useDrawing({ space, path }: ContentPoint, page: DocumentPage | undefined): LoadedValue<PageDrawing> {
  const className = `drawing-${useId()}`;
  const tree = usePages(path);
  const pages = tree.value?.byId;
  const read = useFiles(path, page);
  const files = read.value;
  const { loaded, error } = useLibraries(page);
  const drawing = useMemo(() => {
    if (loaded === undefined || pages === undefined || files === undefined) return undefined;
    const resolve = createAppResolver({ space, contentPath: path, pages: pages ?? noPages, files });
    const view = createView(loaded.page, resolve);
    return createDrawingContext(view, { ...loaded.libraries, ...fixedLibraries });
  }, [space, path, loaded, pages, files]);
  useDocumentStyles(className, drawing);
  const value = useMemo(() => {
    if (drawing === undefined || loaded === undefined) return undefined;
    const { nodes } = drawing.view.page.document;
    return {
      ...{ page: loaded.page, className, nodes, draw: (node: PageNode) => drawing.blocks([node]) },
      outline: findOutlineEntries(nodes, drawing),
    };
  }, [drawing, className]);
  const reload = async (): Promise<void> => {
    // Browsers can remember that a script could not be loaded until the page is loaded again.
    if (error !== undefined) window.location.reload();
    else await Promise.all([tree.reload(), read.reload()]);
  };
  return { value, error: error ?? tree.error ?? read.error, isLoading: value === undefined, reload };
}
