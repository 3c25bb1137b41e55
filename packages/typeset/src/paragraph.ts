import type { Block } from '@octavo/markdown';
import { figureHeight, isFigure, setFigure } from './figures.ts';
import type { Figure } from './html.ts';
import type { Span } from './line.ts';
import { paragraph, type Setting } from './setting.ts';
import { figureOf, plainOf, spansOf } from './spans.ts';

type Node = Block['nodes'][number];

/** Of the size of the letters: a higher image does not stand in a line of text. */
const HIGHEST_IN_LINE = 2.6;

/** Sets a paragraph; an image in it that is higher than icons are has a place of its own, and so has one that is all of it. */
export async function setParagraph(setting: Setting, { nodes }: Block): Promise<void> {
  const isAlone = nodes.filter((node) => !isBlank(node)).length === 1;
  let run: Node[] = [];
  const endRun = async () => {
    if (!run.every(isBlank)) await paragraph(setting, trimmed(spansOf(setting, run)));
    run = [];
  };
  for (const node of nodes) {
    const figure = figureIn(node);
    if (figure === undefined || (!isAlone && (await standsInLine(setting, figure)))) {
      run.push(node);
      continue;
    }
    await endRun();
    await setFigure(setting, figure);
  }
  await endRun();
}

/** Without the space that parted the text from an image. */
const trimmed = ([first, ...more]: Span[]): Span[] =>
  first === undefined ? [] : [{ ...first, text: first.text.trimStart() }, ...more];

const isBlank = (node: Node): boolean => node.object === 'text' && plainOf([node]).trim() === '';

/** The image that a node is, or that it links. */
function figureIn(node: Node): Figure | undefined {
  const only = node.object === 'inline' && node.type === 'link' && node.nodes.length === 1 ? node.nodes[0] : node;
  return only !== undefined && isFigure(only) ? figureOf(only) : undefined;
}

/** An image as high as a line or two; one that cannot be shown is told by its text, which stands there too. */
async function standsInLine(setting: Setting, figure: Figure): Promise<boolean> {
  if ((await setting.pictures.at(setting.page, figure.source)) === undefined) return true;
  return (await figureHeight(setting, figure)) <= setting.style.size * HIGHEST_IN_LINE;
}
