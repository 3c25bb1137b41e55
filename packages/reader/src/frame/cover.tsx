import type { PageLayout } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import { hrefOf, type PageDrawing } from '../drawing.ts';

/** Pixels by which a cover is moved that moves it from its middle to its edge. */
const reach = 320;

const middle = 50;

/** Where a cover is cut, for how far it was moved down: it always fills its place. */
function positionOf(pixels: number): string {
  const percent = Math.min(100, Math.max(0, middle - (pixels / reach) * middle));
  return `object-position:50% ${Math.round(percent * 10) / 10}%`;
}

/** The cover of a page, where its layout shows one of these sizes, in the light and in the dark. */
export function Cover({ at, sizes }: { at: PageDrawing; sizes: PageLayout['coverSize'][] }): ComponentChildren {
  const { cover, layout } = at.view.page;
  if (cover === undefined || !layout.cover || !sizes.includes(layout.coverSize)) return null;
  const addressOf = (reference: unknown) => hrefOf(at.view, at.view.resolve(reference)?.to);
  const light = addressOf(cover.ref);
  if (light === undefined) return null;
  const dark = addressOf(cover.refDark);
  const own = cover.yPos === 0 ? [] : [at.sheet.classOf(positionOf(cover.yPos))];
  const mask = layout.coverMask === 'none' ? [] : [`mask-${layout.coverMask}`];
  const image = (href: string, ...shown: string[]) => (
    <img class={['cover', layout.coverSize, ...mask, ...own, ...shown].join(' ')} src={href} alt="" />
  );
  return dark === undefined || dark === light ? image(light) : [image(light, 'in-light'), image(dark, 'in-dark')];
}
