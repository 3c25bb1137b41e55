import type { SiteView } from '@octavo/reader';
import type { Page } from '@octavo/schema';

/** So many titles say in what script a space is written. */
const maxTitles = 200;

/** What tells languages of a script that is written from right to left. */
const rightToLeft: [language: string, letters: RegExp][] = [
  ['he', /\p{Script=Hebrew}/u],
  ['ur', /[\u0679\u0688\u0691\u06ba\u06d2]/u],
  ['fa', /[\u067e\u0686\u0698\u06af\u06cc]/u],
  ['ar', /\p{Script=Arabic}/u],
];

const titlesOf = (pages: Page[]): string[] =>
  pages.flatMap((page) => [page.title, ...('pages' in page ? titlesOf(page.pages) : [])]);

/**
 * The language of a page. The words of the interface have none that is written from right to left; where most letters of the
 * titles of a space are, so is the space.
 */
export function languageOf(locale: string, pages: Page[]): Pick<SiteView, 'language' | 'direction'> {
  const text = titlesOf(pages).slice(0, maxTitles).join(' ');
  if (!/[\u0590-\u08ff\ufb1d-\ufefc]/.test(text)) return { language: locale, direction: 'ltr' };
  const all = text.match(/\p{L}/gu)?.length ?? 0;
  const turned = text.match(/[\p{Script=Hebrew}\p{Script=Arabic}]/gu)?.length ?? 0;
  if (turned * 2 <= all) return { language: locale, direction: 'ltr' };
  const [language] = rightToLeft.find(([, letters]) => letters.test(text)) ?? [locale];
  return { language, direction: 'rtl' };
}
