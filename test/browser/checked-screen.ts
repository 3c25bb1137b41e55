import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { takePicture } from './pictures.ts';

/** Returns the violations of accessibility rules by axe, with the elements that have them. */
export async function getViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

const findClipped = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const { overflowX, textOverflow } = getComputedStyle(element);
  const isCut = overflowX !== 'visible' && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
  const scrolling = 'article, pre, textarea, input, select, svg, [role=toolbar]';
  const mayScroll = textOverflow === 'ellipsis' || element.closest(scrolling) !== null;
  const isNarrow = element.matches('.row > .grow') && element.clientWidth > 1 && element.clientWidth < 100;
  return (isCut && !mayScroll) || isNarrow ? [element.tagName + '.' + element.className] : [];
})`;

/**
 * Returns the elements whose content is cut off at the side or scrolls sideways, and the texts in rows that are so
 * narrow that a line has only a few letters. An ellipsis at the end of a text is allowed. Code, tables and formulas of
 * pages, and the toolbar of the editor, may scroll.
 */
export const getClipped = (page: Page): Promise<string[]> => page.evaluate<string[]>(findClipped);

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** Checks that a screen is accessible in both color schemes and on a phone, where it must not scroll sideways. */
export async function checkScreen(page: Page, name: string): Promise<void> {
  for (const [size, colorScheme] of [
    [desktop, 'light'],
    [desktop, 'dark'],
    [phone, 'dark'],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await takePicture(page, `app-${name}-${size.width}-${colorScheme}`);
    expect([name, size.width, colorScheme, await getViolations(page)]).toEqual([name, size.width, colorScheme, []]);
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, size.width]);
    expect([name, size.width, await getClipped(page)]).toEqual([name, size.width, []]);
  }
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: 'light' });
}
