/*
 * Draws diagrams for a page. It runs in a sandboxed frame whose policy allows inline styles: Mermaid needs them and the
 * page forbids them. The frame returns only text, which the page shows as an image.
 */
import mermaid from 'mermaid/dist/mermaid.esm.min.mjs';
import type { DiagramRequest, DiagramTheme, RenderedDiagram } from './drawn-diagram.ts';

const maxTextSize = 50_000;
const maxEdges = 1000;
const maxWords = 2000;

const toMermaidTheme = (theme: DiagramTheme) => ({
  ...{ darkMode: theme.isDark, fontFamily: theme.font, fontSize: '16px' },
  ...{
    background: theme.page,
    mainBkg: theme.background,
    primaryColor: theme.background,
    primaryTextColor: theme.text,
  },
  ...{ primaryBorderColor: theme.primary, secondaryColor: theme.surface, tertiaryColor: theme.surface },
  ...{ secondaryBorderColor: theme.border, tertiaryBorderColor: theme.border, lineColor: theme.muted },
  ...{ textColor: theme.text, titleColor: theme.text, nodeTextColor: theme.text, edgeLabelBackground: theme.page },
  ...{ noteBkgColor: theme.surface, noteTextColor: theme.text, noteBorderColor: theme.border },
});

let drawnCount = 0;

async function drawDiagram({ source, theme }: DiagramRequest): Promise<RenderedDiagram> {
  mermaid.initialize({
    ...{ startOnLoad: false, securityLevel: 'strict', theme: 'base', themeVariables: toMermaidTheme(theme) },
    ...{ fontFamily: theme.font, htmlLabels: false, flowchart: { htmlLabels: false }, class: { htmlLabels: false } },
    ...{ maxTextSize, maxEdges, suppressErrorRendering: true },
  });
  drawnCount += 1;
  const { svg } = await mermaid.render(`diagram-${drawnCount}`, escapeTags(source));
  const image = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  if (image === null) return {};
  const [, , width, height] = (image.getAttribute('viewBox') ?? '').split(/[\s,]+/);
  if (width === undefined || height === undefined) return {};
  image.removeAttribute('style');
  image.setAttribute('width', width);
  image.setAttribute('height', height);
  const title = image.querySelector(':scope > title')?.textContent ?? '';
  const texts = [...image.querySelectorAll('text, foreignObject')].map(({ textContent }) => textContent?.trim() ?? '');
  const words = [...new Set(texts.filter((text) => text !== ''))].join(', ').slice(0, maxWords);
  return { svg: new XMLSerializer().serializeToString(image), title, words };
}

/**
 * Escapes tags, except line breaks. Mermaid inserts labels into its document before it sanitizes them; the frame's
 * policy blocks them but would report a violation for each.
 */
const escapeTags = (source: string): string => source.replace(/(?<!<)<(?!br\s*\/?>)(?=[a-z!/?])/gi, '#lt;');

let last: Promise<unknown> = Promise.resolve();

addEventListener('message', ({ data, ports: [port] }: MessageEvent<DiagramRequest>) => {
  // Mermaid has one global configuration, so diagrams are drawn one after the other.
  last = last.then(async () => port?.postMessage(await drawDiagram(data).catch(() => ({}))));
});
parent.postMessage('octavo-diagrams', '*');
